# The dashboard in a container: built from the checkout, run by an account without rights, nothing written
# but the ledger's folder. docs/deployment.md says how to build and run it.

# The base image by its digest, for a tag alone can change: this one is the list of all platforms' images.
ARG BASE=python:3.12.14-slim-bookworm@sha256:782412e85d0f0984994c290652577d4018aff08145c85b262bb63dc0c7522254

FROM ${BASE} AS build
ARG BASE
RUN case "$BASE" in *@sha256:*) ;; *) echo "BASE is $BASE; name the image with its digest" >&2; exit 1 ;; esac
ENV PIP_NO_CACHE_DIR=1 \
    PIP_DISABLE_PIP_VERSION_CHECK=1 \
    PIP_ROOT_USER_ACTION=ignore
WORKDIR /source
COPY tools tools
# Nothing is installed whose hash is not in these two files, and nothing runs code to be installed.
RUN python -m venv --without-pip /opt/build \
 && python -m venv --without-pip /opt/hmpb \
 && pip --python /opt/build/bin/python install --require-hashes --only-binary :all: -r tools/image/build.txt \
 && pip --python /opt/hmpb/bin/python install --require-hashes --only-binary :all: -r tools/image/requirements.txt
COPY pyproject.toml README.md LICENSE app.py serve.py ./
COPY .streamlit/config.toml .streamlit/config.toml
COPY assets assets
COPY pages pages
COPY hmpb_core hmpb_core
RUN /opt/build/bin/hatchling build --target wheel --directory /wheels \
 && pip --python /opt/hmpb/bin/python install --no-deps --no-index /wheels/*.whl \
 && pip --python /opt/hmpb/bin/python check

FROM ${BASE}
RUN useradd --uid 10001 --create-home --shell /usr/sbin/nologin hmpb \
 && install -d -o hmpb -g hmpb -m 700 /workspace
COPY --from=build /opt/hmpb /opt/hmpb
ENV PATH=/opt/hmpb/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    HMPB_WORKSPACE=/workspace \
    HMPB_DATA_FOLDER=/data \
    # Inside the container only: the host publishes the port on 127.0.0.1.
    STREAMLIT_SERVER_ADDRESS=0.0.0.0
USER hmpb
WORKDIR /home/hmpb
VOLUME /workspace
EXPOSE 8501
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s CMD ["python", "-c", \
  "import os, urllib.request as u; p = os.environ.get('STREAMLIT_SERVER_BASE_URL_PATH', '').strip('/'); u.urlopen('http://127.0.0.1:8501/' + (p + '/' if p else '') + '_stcore/health', timeout=4)"]
CMD ["hmpb", "app", "--port", "8501"]
