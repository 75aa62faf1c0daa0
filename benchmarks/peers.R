# The R side of the benchmarks: Rscript peers.R TASK FOLDER RESAMPLES LEVEL REPEATS
# Reads y, s, z, fold, points and X from FOLDER (doubles, one file each), writes the answer to FOLDER/out, and prints the shortest
# elapsed time of REPEATS runs. Starting R and reading the data is not counted. TASK "versions" lists what is installed.

given <- commandArgs(TRUE)
packages <- c("pROC", "fbroc", "ROCR", "ipred", "MASS")
if (given[1] == "versions") {
  for (p in packages) if (requireNamespace(p, quietly = TRUE)) cat(p, as.character(packageVersion(p)), "\n")
  quit()
}
folder <- given[2]; B <- as.integer(given[3]); level <- as.numeric(given[4]); repeats <- as.integer(given[5])
read <- function(name) { f <- file.path(folder, name); if (file.exists(f)) readBin(f, "double", file.size(f) / 8) }
y <- read("y"); s <- read("s"); z <- read("z"); fold <- read("fold"); points <- read("points")
load <- function(...) for (p in c(...)) suppressPackageStartupMessages(library(p, character.only = TRUE))
curve <- function(score) roc(y, score, levels = c(0, 1), direction = "<", quiet = TRUE)
set.seed(1)

tasks <- list(
  thresholds = function() {
    load("pROC")
    list(run = function() ci.thresholds(curve(s), conf.level = level, boot.n = B, thresholds = points, progress = "none"),
         answer = function(ci) { t <- attr(ci, "thresholds"); c(t, 1 - ci$specificity[, 3], 1 - ci$specificity[, 1], ci$sensitivity[, 1], ci$sensitivity[, 3]) })
  },
  vertical = function() {
    load("pROC")
    list(run = function() ci.se(curve(s), specificities = 1 - points, conf.level = level, boot.n = B, progress = "none"),
         answer = function(ci) c(ci[, 1], ci[, 3]))
  },
  vertical_fbroc = function() {
    load("fbroc")
    list(run = function() conf(boot.roc(s, y == 1, n.boot = B), conf.for = "tpr", conf.level = level, steps = 100), answer = function(ci) limits(ci))
  },
  paired_fbroc = function() {
    load("fbroc")
    list(run = function() conf(boot.paired.roc(s, z, y == 1, n.boot = B), conf.for = "tpr", conf.level = level, steps = 100), answer = function(ci) limits(ci))
  },
  auc = function() {
    load("pROC")
    list(run = function() ci.auc(curve(s), conf.level = level, method = "delong"), answer = function(ci) ci[c(1, 3)])
  },
  auc_difference = function() {
    load("pROC")
    list(run = function() roc.test(curve(s), curve(z), method = "delong", paired = TRUE), answer = function(test) unname(test$statistic))
  },
  plus = function() {
    load("MASS", "ipred")
    d <- data.frame(y = factor(y), matrix(read("X"), nrow = length(y), byrow = TRUE))
    label <- function(object, newdata) predict(object, newdata)$class
    list(run = function() errorest(y ~ ., d, model = lda, predict = label, estimator = "632plus", est.para = control.errorest(nboot = B)),
         answer = function(e) e$error)
  },
  folds = function() {  # ROCR averages while it draws, so drawing (onto no device) is part of the time
    load("ROCR")
    curves <- function() performance(prediction(split(s, fold), split(y, fold)), "tpr", "fpr")
    average <- function(p, values) rowMeans(sapply(seq_along(values), function(i) {
      a <- p@alpha.values[[i]]; a[is.infinite(a)] <- max(a[is.finite(a)]) + 1
      approxfun(a, values[[i]], rule = 2, ties = mean)(points) }))
    list(run = function() { p <- curves(); pdf(NULL); plot(p, avg = "threshold", spread.estimate = "stderror", show.spread.at = points); dev.off(); p },
         answer = function(p) c(average(p, p@x.values), average(p, p@y.values)))
  }
)
limits <- function(ci) { ci <- ci[order(ci$FPR), ]; c(ci$FPR, ci[[grep("^Lower", names(ci))]], ci[[grep("^Upper", names(ci))]]) }

task <- tasks[[given[1]]]()
seconds <- Inf
now <- function() as.numeric(Sys.time())  # finer than proc.time
for (i in seq_len(repeats)) { start <- now(); result <- task$run(); seconds <- min(seconds, now() - start) }
writeBin(as.double(task$answer(result)), file.path(folder, "out"))
cat("seconds", format(seconds, digits = 6), "\n")
