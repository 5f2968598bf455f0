"""A fork while other threads work: models and indexes in memory answer in the child."""

import os
import subprocess
import sys
from textwrap import dedent

import pytest

from tests.hostile.scale import steps

FORKS = steps(8, 32)

WORK = dedent("""
import os, random, signal, sys, threading, time
import fuzzbow

model = fuzzbow.load("default")
index = model.index(["a cat", "a dog", "the house"])
running, failures = True, []

def words(chosen):
    letters = random.Random(chosen)
    return " ".join("".join(letters.choices("abcdefghij", k=6)) for _ in range(100))

def work(seed, call):
    number = seed << 32
    while running:
        number += 1
        try:
            call(words(number))
        except Exception as error:
            failures.append(error)

def change(text):
    index.delete(index.add([text]))

calls = [
    lambda text: model.similarity(text, "a cat"),
    lambda text: model.matrix([text], ["a cat"]),
    lambda text: index.search(text, k=1),
    change,
]
threads = [
    threading.Thread(target=work, args=(seed, calls[number]), daemon=True)
    for seed, number in enumerate(map(int, sys.argv[2:]))
]

def child(number):
    text = f"wholly new words xq{number}z yq{number}z and a cat"
    answers = [
        model.similarity(text, text),
        float(model.matrix([text], [text])[0, 0]),
        index.search("a cat", k=1)[0].score,
    ]
    index.add([text], ids=[1_000_000_000 + number])
    found = index.search(text, k=1)[0]
    answers.append(found.score)
    good = max(abs(answer - 1.0) for answer in answers) < 1e-5
    return good and found.id == 1_000_000_000 + number

for thread in threads:
    thread.start()
outcomes = []
for number in range(int(sys.argv[1])):
    time.sleep(0.02)
    pid = os.fork()
    if pid == 0:
        signal.setitimer(signal.ITIMER_REAL, 20)  # kills a child that hangs
        good = False
        try:
            good = child(number)
        finally:
            os._exit(0 if good else 1)
    outcomes.append(os.waitpid(pid, 0)[1])
running = False
for thread in threads:
    thread.join()
assert not failures, failures
assert outcomes == [0] * len(outcomes), outcomes
""")

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def run(code: str, *arguments: object) -> None:
    command = [sys.executable, "-W", "ignore", "-c", code, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=500)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("calls", [(0, 0), (1, 2), (2, 3)])
def test_a_child_answers_whatever_other_threads_were_doing(calls):
    run(WORK, FORKS, *calls)


CACHED = dedent("""
import os, signal, threading
from fuzzbow.measures import TextMeasure

held, checked = threading.Event(), threading.Event()

lock = getattr(vars(TextMeasure)["encoder"], "lock", None)

def hold():
    if lock is not None:
        lock.acquire()
    held.set()
    checked.wait(20)

thread = threading.Thread(target=hold)
thread.start()
held.wait()
pid = os.fork()
if pid == 0:
    signal.alarm(20)
    import fuzzbow
    os._exit(fuzzbow.load("default").similarity("a cat", "a cat") < 0.99)
_, status = os.waitpid(pid, 0)
checked.set()
thread.join()
assert status == 0, status
""")


def test_a_child_does_not_wait_for_a_property_that_a_thread_was_computing():
    run(CACHED)


IMPORTED = dedent("""
import os, signal, sys, threading, time
import fuzzbow
sys.path.insert(0, sys.argv[1])
thread = threading.Thread(target=__import__, args=("wordfreq",))
thread.start()
while "wordfreq" not in sys.modules:
    time.sleep(0.01)
pid = os.fork()
if pid == 0:
    signal.alarm(20)
    import wordfreq
    os._exit(not wordfreq.ready)
_, status = os.waitpid(pid, 0)
thread.join()
assert status == 0, status
""")


def test_a_child_does_not_wait_for_a_package_that_a_thread_was_importing(tmp_path):
    slow = "import time\ntime.sleep(0.5)\nimport logging\nlogging.getLogger('slow')\nready = True\n"
    (tmp_path / "wordfreq.py").write_text(slow)
    run(IMPORTED, tmp_path)
