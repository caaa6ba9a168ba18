# The service in a container: `make image`, or `docker build -t referee .`, then
#   docker run -p 8080:8080 -v referee-data:/data referee                      (embedded store)
#   docker run -p 8080:8080 -e REFEREE_REDIS_URL=… -e REFEREE_SECRET=… referee (your own)
#
# The base is Debian's glibc, which the wheels are built for, with a Python that its makers
# build with profile-guided optimisation. DIGEST pins it, and has to be asked of its registry:
#   docker buildx imagetools inspect python:3.13-slim, then --build-arg DIGEST=sha256:…
# Without one it is what the tag means on the day, and the label base.digest is empty.
ARG BASE=python:3.13-slim
ARG DIGEST

FROM ${BASE}${DIGEST:+@$DIGEST} AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends binutils
WORKDIR /src
RUN python -m venv --without-pip /opt/referee && python -m venv /opt/build
ENV PIP="/opt/build/bin/python -m pip"
# otel: with what sends traces.
ARG REQUIREMENTS=run
COPY requirements requirements
# Without what is never imported: so nothing is asked for that run.txt does not have. Symbols, sources
# of libraries and the lexers of Pygments, but for Python's, which tracebacks take, are as useless.
RUN $PIP install --require-hashes --only-binary :all: -r requirements/build.txt \
 && $PIP --python /opt/referee/bin/python install --no-deps --no-compile --require-hashes \
      --only-binary :all: -r requirements/${REQUIREMENTS}.txt \
 && find /opt/referee -name '*.so*' -exec strip --strip-unneeded {} + \
 && find /opt/referee -regex '.*\.\(pyi\|pyx\|pxd\|c\|h\)' -delete \
 && find /opt/referee -path '*/pygments/lexers/[a-z]*' ! -name python.py -delete
COPY pyproject.toml README.md LICENSE ./
COPY referee referee
COPY replay replay
# Bytecode is made of what is imported: all of ours, and what that imports.
RUN $PIP wheel --no-deps --no-build-isolation --wheel-dir /wheels . \
 && $PIP --python /opt/referee/bin/python install --no-deps --no-compile /wheels/*.whl \
 && cd / && /opt/referee/bin/python -c "import importlib, pkgutil, referee, replay; [importlib.import_module(m.name) for p in (referee, replay) for m in pkgutil.walk_packages(p.__path__, p.__name__ + '.')]"

FROM ${BASE}${DIGEST:+@$DIGEST}
ARG BASE
ARG DIGEST
ARG VERSION
ARG REVISION
LABEL org.opencontainers.image.title="referee" \
      org.opencontainers.image.description="A referee for board and card games as a microservice" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.base.name="${BASE}" \
      org.opencontainers.image.base.digest="${DIGEST}"
RUN useradd --uid 10001 --gid 0 --no-create-home --no-log-init referee \
 && install -d -o referee -g 0 -m 0770 /data
COPY --from=build /opt/referee /opt/referee
ENV PATH=/opt/referee/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    REFEREE_HOST=0.0.0.0 \
    REFEREE_PORT=8080 \
    REFEREE_DATA_DIR=/data \
    REFEREE_PRINT_TOKEN=0
# Any other user of group 0 will do as well.
USER 10001:0
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["python", "-c", "import os, urllib.request as u; u.urlopen('http://127.0.0.1:' + os.environ['REFEREE_PORT'] + '/health/live', timeout=2)"]
# No shell in between: SIGTERM reaches the service, which ends its streams and drains.
ENTRYPOINT ["referee"]
CMD ["serve"]
