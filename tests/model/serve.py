"""serve.py MODEL PORT THREADS: llama.cpp's server on loopback, until standard input ends: whoever started it is gone then,
however that came about."""

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
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    # At once: nobody waits for what is being written.
    os._exit(0)


if __name__ == "__main__":
    main()
