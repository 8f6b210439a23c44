# autocraft with Node, the Minecraft world, the live page and its view:
#   docker build -t autocraft .
#   docker run -it --rm --network host -v autocraft:/home/player autocraft demo
# The live page listens on this computer only, so the container shares its network. What a run keeps is in the volume.
FROM python:3.13-slim-bookworm

RUN useradd --uid 1000 --create-home player
WORKDIR /opt/autocraft
COPY pyproject.toml README.md CHANGELOG.md LICENSE requirements.lock requirements-dev.lock requirements-ray.lock ./
COPY scripts scripts
COPY prompts prompts
COPY autocraft autocraft
COPY main.py ./
# The versions of the lock file, of which only those are installed that these extras need.
RUN pip install --no-cache-dir --require-hashes -r requirements.lock \
    && sed -E 's/ *\\$//; /^ *--hash/d' requirements-dev.lock > /tmp/versions.txt \
    && pip install --no-cache-dir --constraint /tmp/versions.txt '.[minecraft,mcp,web]' \
    && rm /tmp/versions.txt
USER 1000
RUN python -m scripts.fetch_node programs minecraft view
WORKDIR /home/player
ENTRYPOINT ["autocraft"]
CMD ["demo"]
