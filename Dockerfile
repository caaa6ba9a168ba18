# The service in a container: `docker build -t referee .`, then
#   docker run -p 8080:8080 -v referee-data:/data referee                      (embedded store)
#   docker run -p 8080:8080 -e REFEREE_REDIS_URL=… -e REFEREE_SECRET=… referee (your own)
#
# The base is Debian's glibc, which the wheels are built for, with a Python that its makers
# build with profile-guided optimisation.
ARG PYTHON=3.13

FROM python:${PYTHON}-slim AS build
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
WORKDIR /src
RUN python -m venv /opt/referee && python -m venv /opt/build
COPY requirements requirements
RUN /opt/referee/bin/python -m pip install --require-hashes --only-binary :all: -r requirements/run.txt \
 && /opt/build/bin/python -m pip install --require-hashes --only-binary :all: -r requirements/build.txt
COPY pyproject.toml README.md LICENSE ./
COPY referee referee
COPY replay replay
RUN /opt/build/bin/python -m pip wheel --no-deps --no-build-isolation --wheel-dir /wheels . \
 && /opt/referee/bin/python -m pip install --no-deps /wheels/*.whl \
 && /opt/referee/bin/python -m compileall -q /opt/referee/lib \
 && /opt/referee/bin/python -m pip uninstall -y -q pip

FROM python:${PYTHON}-slim
RUN useradd --system --uid 10001 --gid 0 --no-create-home referee \
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
