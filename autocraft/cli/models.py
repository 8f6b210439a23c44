"""`autocraft models`: what the endpoint offers."""

from __future__ import annotations

import asyncio
import sys

from autocraft.brains.call import list_models
from autocraft.cli.options import Flags, Profile, new_app, with_settings
from autocraft.console.pages import print_page
from autocraft.errors import UsageError
from autocraft.settings.config import read_config
from autocraft.text.sanitize import clean_line
from autocraft.usage import price_of

app = new_app()


@app.command()
@with_settings("openai.base_url")
def models(flags: Flags, profile: Profile = "") -> None:
    """List the models that the endpoint offers, with the prices that are known."""
    config = read_config(flags, profile)
    endpoint = config.openai
    if endpoint.fault:
        raise UsageError(endpoint.fault)
    print(clean_line(config.own_mask.text(f"Models at {endpoint.address}")), file=sys.stderr)
    for name, owner in asyncio.run(list_models(endpoint)):
        price = price_of(name, local=endpoint.free)
        cost = "" if price is None else f"  ${price.prompt:g} in, ${price.completion:g} out for a million tokens"
        print_page(f"{clean_line(name):<40} {clean_line(owner):<16}{cost}")
