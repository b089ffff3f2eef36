"""serve.py MODEL PORT THREADS: llama.cpp's server on loopback, until this process ends."""

import signal
import sys

import xllamacpp


def main():
    model, port, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    # Before the server starts: a kill is the end at once, as that of a machine that is switched off.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
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
    signal.pause()


if __name__ == "__main__":
    main()
