# The project and its pinned environment, run by an unprivileged user. docs/howto/container.md shows how to build and use
# the image with Docker, Podman, Buildah and Apptainer.
#
# BASE is a Debian with Python 3.11 to 3.14. To pin its bytes, name it by digest: --build-arg BASE=debian@sha256:...
ARG BASE=docker.io/library/debian:13-slim
FROM ${BASE}

RUN apt-get update \
    && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
        ca-certificates make python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*

RUN useradd --create-home researcher && install --directory --owner researcher /opt/dpbandits
USER researcher
WORKDIR /opt/dpbandits
COPY --chown=researcher . .
RUN make setup && rm -rf /home/researcher/.cache

# Jobs that run in the image use its Python; the folder of the workflow may be another one.
ENV PATH=/opt/dpbandits/.venv/bin:$PATH
EXPOSE 8000
CMD ["make"]
