#!/bin/sh
# Everything that needs a GPU, the most important first: checks of fuzzbow.torch, kernels of all
# pairs, a model with engine="cuda", contextual vectors on STS. Each step ends by itself, and
# writes JSON and a log to the output folder.
#
#     benchmarks/gpu/all.sh DEVICE_FOLDER OUTPUT
#
# DEVICE_FOLDER is made by `python -m benchmarks.gpu.device_folder pack`; what is installed into
# its folder maxsim (pip install --no-deps --target) is timed beside the kernels.
folder=$1
output=$2
export PYTHONPATH="src:.:$folder/maxsim" PYTHONUNBUFFERED=1 TOKENIZERS_PARALLELISM=false HF_HUB_OFFLINE=1
mkdir -p "$output"
cp "$folder"/_kernel*.so src/fuzzbow/

step() { # name, seconds, then the command
    name=$1
    limit=$2
    shift 2
    started=$(date +%s)
    timeout "$limit" "$@" >"$output/$name.log" 2>&1
    echo "$name: status $? after $(($(date +%s) - started)) s"
    tail -n 25 "$output/$name.log"
}

step checks 75 python3 -m benchmarks.gpu.checks --output "$output"
step training 60 python3 -m benchmarks.gpu.training --output "$output"
step pairs 190 python3 -m benchmarks.gpu.pairs --quick --seconds 95 --output "$output"
step models 130 python3 -m benchmarks.gpu.models --output "$output"
step unpack 20 python3 -m benchmarks.gpu.device_folder unpack "$folder" --to "$output/../encoder"
step contextual 120 python3 -m benchmarks.quality.contextual --encoder "$output/../encoder" \
    --sts "$folder/sts" --output "$output"
rm -rf "$output/../encoder"
