"""serve.py MODEL PORT THREADS [NAME=VALUE…]: llama.cpp's server on loopback, until standard input ends: whoever started
it is gone then, however that came about. A setting is a whole number or a fraction, by its name in xllamacpp."""

import os
import sys

import xllamacpp


def main():
    model, port, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    params = xllamacpp.CommonParams()
    params.model.path = model
    params.hostnames = ["127.0.0.1"]
    params.port = port
    # Two at once, each with the context that a turn needs.
    params.n_parallel = 2
    params.n_ctx = 16_384
    params.cpuparams.n_threads = threads
    params.cpuparams_batch.n_threads = threads
    params.use_jinja = True
    for setting in sys.argv[4:]:
        name, value = setting.split("=")
        setattr(params, name, float(value) if "." in value else int(value))
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    # At once: nobody waits for what is being written.
    os._exit(0)


if __name__ == "__main__":
    main()
