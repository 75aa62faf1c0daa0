# costboot: `make` lists the commands. Needs GNU make and Python 3.11 or newer, nothing else.
# Everything is installed into .venv; another interpreter is chosen with `make test PYTHON=python3.12`.

PYTHON ?= python3
SLOW   ?=
ALL    ?=
CHECK  ?=
ARGS   ?=
CONSTRAINTS ?= constraints.txt# the versions that were tested; empty for the newest ones
BIN    := .venv/bin
RUN    := .venv/.installed-run
DEV    := .venv/.installed-dev
PEERS  := .venv/.installed-bench
PIP    := $(BIN)/python -m pip --disable-pip-version-check install -qq --use-pep517 $(if $(CONSTRAINTS),-c $(CONSTRAINTS))

.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help demo test check nightly export lint lab app docs lite explorers notebooks readme pack study bench dist constraints clean

help: ## this list
	@echo "costboot: confidence intervals for classifier performance. Commands:"
	@sed -n 's/^\([a-z]*\):[^#]*## \(.*\)/  make \1|\2/p' Makefile | while IFS='|' read -r a b; do printf '%-18s %s\n' "$$a" "$$b"; done

demo: $(RUN) ## intervals of two classifiers' curves: a table here, the figures in costboot-demo.html
	@$(BIN)/costboot $(ARGS)

test: $(DEV) ## export, notebook tests, pytest, lint; ARGS='-k data' goes to pytest
	@SLOW='$(SLOW)' ALL='$(ALL)' $(BIN)/python tools/check.py $(ARGS)

check: SLOW = 1
check: test ## the same with everything that is marked slow, and the coverage of lines (make test SLOW=1)

nightly: check ## all of check, every page run again and compared with what it stores, a trial run of the site
	@$(BIN)/python tools/run_notebooks.py --check
	@$(BIN)/python tools/docs.py --trial

export: $(DEV) ## the package from the notebooks: nbdev_export, nbdev_clean, and the doors of the rooms
	@$(BIN)/python tools/export.py

lint: $(DEV) ## the style findings alone
	@$(BIN)/python tools/lint.py $(ARGS)

lab: $(DEV) ## working copies of the lessons in lessons/ (yours: git ignores them), opened in JupyterLab
	@$(BIN)/costboot lab lessons $(ARGS)

app: $(DEV) ## all explorers in a browser, served on this machine only; ARGS='--port 9000 --no-browser'
	@$(BIN)/python -m costboot.explorers.app --notebooks nbs $(ARGS)

explorers: $(DEV) ## the explorers as files that need no Python, into nbs/explorers/static/ (make docs includes it); ARGS=--quick
	@$(BIN)/python tools/static_explorers.py $(ARGS)

docs: $(DEV) ## the Quarto site into _docs/; ARGS=--draft: a readable draft without Quarto, into _draft/
	@$(BIN)/python tools/docs.py $(ARGS)

lite: $(DEV) ## the lessons, explorers and the derivation desk alive in a browser, without a server's Python, into _lite/ (JupyterLite)
	@$(BIN)/python tools/lite.py $(ARGS)

notebooks: $(DEV) ## run every notebook and store its outputs; ARGS=nbs/index.ipynb for one, CHECK=1 only compares the texts
	@$(BIN)/python tools/run_notebooks.py $(if $(CHECK),--check) $(ARGS)
	@$(BIN)/python tools/readme.py $(if $(CHECK),--check)

readme: $(DEV) ## README.md from nbs/index.ipynb
	@$(BIN)/python tools/readme.py $(ARGS)

pack: $(DEV) ## the teacher's pack into _pack/: slides, script, handout, solutions, question bank; ARGS=--pictures for PNG files
	@$(BIN)/python -W ignore tools/teaching_pack.py $(ARGS)

study: $(DEV) ## the studies of intervals and of measures again, most of an hour, into nbs/coverages/results/; ARGS=--quick for a few designs
	@$(BIN)/python -m costboot.coverages.interval_study $(ARGS)
	@$(BIN)/python -m costboot.coverages.measure_study $(ARGS)

bench: $(PEERS) ## against scipy, scikit-learn, pROC and others; ARGS=--quick for the short form, ARGS='--script roc_laws' for one script
	@$(BIN)/python benchmarks/bench.py $(ARGS)

dist: $(DEV) ## the wheel and the source archive into dist/
	@$(BIN)/python -m build --outdir dist

constraints: ## renew constraints.txt: the newest versions in a fresh .venv, written down (run make check afterwards)
	rm -rf .venv
	@$(MAKE) --no-print-directory $(DEV) CONSTRAINTS=
	@$(BIN)/python tools/constraints.py > constraints.new && mv constraints.new constraints.txt

clean: ## remove .venv and everything that was built
	rm -rf .venv _docs _draft _lite _proc _pack nbs/explorers/static build dist costboot.egg-info .pytest_cache .hypothesis .ruff_cache .mypy_cache
	rm -f costboot-demo.html nbs/nbdev.yml nbs/sidebar.yml
	find . -name __pycache__ -o -name .ipynb_checkpoints | while IFS= read -r d; do rm -rf "$$d"; done

# --- the environment -------------------------------------------------------------------------------------------------
# .venv/.where holds the folder the environment was made in: a moved or copied checkout gets a new one instead of
# silently importing the old one's code. An environment that somebody else made in .venv is kept and used.

WHERE := $(shell $(BIN)/python -c '' 2>/dev/null && cat .venv/.where 2>/dev/null)
ifneq ($(WHERE),$(CURDIR))
.PHONY: .venv/.where
endif

.venv/.where:
	@command -v "$(PYTHON)" >/dev/null || { echo "costboot needs Python 3.11 or newer, and '$(PYTHON)' is not on the PATH. Try: make PYTHON=/path/to/python3 ..."; exit 1; }
	@"$(PYTHON)" -c 'import sys; v = sys.version_info[:2]; sys.exit(0 if v >= (3, 11) else "costboot needs Python 3.11 or newer, and $(PYTHON) is %d.%d. Try: make PYTHON=python3.11 ..." % v)'
	@if [ -e .venv/.where ] || ! $(BIN)/python -c '' 2>/dev/null; then rm -rf .venv; fi
	@echo "Creating .venv"
	@"$(PYTHON)" -m venv .venv
	@printf '%s\n' "$(CURDIR)" > $@

$(RUN): .venv/.where settings.ini setup.py $(CONSTRAINTS)
	@echo "Installing costboot into .venv (about a minute the first time)"
	@$(PIP) -e .
	@touch $@

$(PEERS): $(RUN)
	@echo "Installing the Python packages to compare with (R packages are used where Rscript finds them)"
	@$(PIP) -e '.[bench]' || echo "they could not be installed; the lines that need them are left out"
	@touch $@

$(DEV): .venv/.where settings.ini setup.py $(CONSTRAINTS)
	@echo "Installing costboot with its development tools into .venv (a few minutes the first time)"
	@$(PIP) -e '.[dev]'
	@touch $(RUN) $@
