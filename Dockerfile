# The dashboard in a container: built from the checkout, run by an account without rights, nothing written
# but the ledger's folder. docs/deployment.md says how to run it.

FROM python:3.12-slim AS build
ENV UV_PYTHON_DOWNLOADS=never
RUN pip install --no-cache-dir uv
WORKDIR /source
COPY pyproject.toml README.md LICENSE app.py serve.py ./
COPY .streamlit/config.toml .streamlit/config.toml
COPY tools tools
COPY assets assets
COPY pages pages
COPY hmpb_core hmpb_core
# pyproject.toml pins every version by a date; uv reads it here, in its folder.
RUN uv build --wheel --out-dir /wheels \
 && uv venv --python /usr/local/bin/python3.12 /opt/hmpb \
 && uv pip install --python /opt/hmpb/bin/python "$(ls /wheels/*.whl)[auth]"

FROM python:3.12-slim
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
