"""The limits of the web commands."""

from __future__ import annotations

from autocraft.errors import UsageError
from autocraft.frozen import frozen
from autocraft.settings.fields import setting


@frozen
class WebSettings:
    """The limits of one fetch, and the search service. Without a key and an engine id it is DuckDuckGo and others."""

    google_api_key: str = setting("", env="GOOGLE_API_KEY", doc="key of Google's Custom Search", secret=True)
    custom_search_engine_id: str = setting(
        "", env="CUSTOM_SEARCH_ENGINE_ID", doc="id of your search engine", power=True
    )
    search_url: str = setting(
        "https://www.googleapis.com/customsearch/v1",
        env="AUTOCRAFT_WEB_SEARCH_URL",
        doc="address of Custom Search",
        key="GOOGLE_API_KEY",
    )
    max_bytes: int = setting(
        2_000_000, env="AUTOCRAFT_WEB_MAX_BYTES", doc="most bytes of a page that are read, after unpacking", power=True
    )
    seconds: float = setting(
        20.0, env="AUTOCRAFT_WEB_SECONDS", doc="seconds that a page may take, redirects included", power=True
    )
    redirects: int = setting(
        5, env="AUTOCRAFT_WEB_REDIRECTS", least=0, doc="how many redirects are followed", power=True
    )
    allow_hosts: tuple[str, ...] = setting(
        (),
        env="AUTOCRAFT_WEB_ALLOW_HOSTS",
        doc="hosts, or host:port, that may have a private address",
        power=True,
        names=True,
    )
    user_agent: str = setting("Mozilla/5.0 (compatible; autocraft)", env="AUTOCRAFT_WEB_USER_AGENT", doc="User-Agent")

    def check(self) -> None:
        """Raise UsageError for a user agent that cannot be in a request."""
        if not (self.user_agent.isascii() and self.user_agent.isprintable()):
            raise UsageError("web.user_agent must be plain printable characters")

    def allows(self, host: str, port: int) -> bool:
        """Return whether this host is allowed by name, so that its address is not checked."""
        full = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        return any(allowed.strip().lower() in (host, full) for allowed in self.allow_hosts)
