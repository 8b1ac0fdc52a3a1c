#!/usr/bin/env bash
# Train on one GPU for a limited time, go on where the last call stopped, and leave the
# best weights and their softmax as float16 in parts of at most 16 MiB.
#
#   scripts/pretrain_on_gpu.sh TRAIN DEV OUTPUT SECONDS PARTS [--any.setting VALUE ...]
#   scripts/pretrain_on_gpu.sh train.tokens.npz dev.tokens.npz training/shipped 500 parts
#
# It needs torch with CUDA and spaCy, no network, and not even an installed package. The
# text comes in two small files, 1.5 bytes a token, made once on any machine:
#
#   python scripts/mix_text.py DATA text
#   python -m spacy elmo tokenize "text/train/*.txt" train.tokens.npz
#   python -m spacy elmo tokenize "text/dev/*.txt" dev.tokens.npz
#
# OUTPUT keeps the checkpoints (some 140 MB each), so a call goes on only where OUTPUT is
# still there. Elsewhere, go on from the weights that were brought back, with a new
# optimizer: --pretraining_elmo.initial_weights WEIGHTS.
# PRECISION=bfloat16 or float16 trains in 16 bits. Back at home: python scripts/weights_in_parts.py join PARTS WEIGHTS
set -euo pipefail
if [ $# -lt 5 ]; then
    echo "Usage: $0 TRAIN DEV OUTPUT SECONDS PARTS [--any.setting VALUE ...]" >&2
    exit 2
fi
train=$1 dev=$2 output=$3 seconds=$4 parts=$5
shift 5
root=$(cd "$(dirname "$0")/.." && pwd)
python=${PYTHON:-python3}
config=${CONFIG:-$root/configs/pretrain_shipped.cfg}
export PYTHONPATH="$root${PYTHONPATH:+:$PYTHONPATH}"

resume=()
if compgen -G "$output/checkpoints/step-*.pt" > /dev/null; then
    resume=(--resume)
fi
status=0
# SIGINT ends a training with a checkpoint.
timeout --signal=INT --kill-after=60 "$seconds" \
    "$python" -c "from spacy_elmo.cli import elmo_cli; elmo_cli()" \
    pretrain "$config" "$output" ${resume[@]+"${resume[@]}"} \
    --paths.train "$train" --paths.dev "$dev" \
    --pretraining_elmo.device "${DEVICE:-cuda}" \
    --pretraining_elmo.precision "${PRECISION:-float32}" "$@" || status=$?
# 124 and 130: the time was up.
if [ $status -ne 0 ] && [ $status -ne 124 ] && [ $status -ne 130 ]; then
    exit $status
fi
if [ ! -d "$output/model-best" ]; then
    echo "No evaluation yet, so no weights to bring back; call again to go on." >&2
    exit 1
fi
"$python" "$root/scripts/weights_in_parts.py" split "$output/model-best" "$parts"
