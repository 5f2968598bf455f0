"""The list of claims: the paper's, in its order, then ours."""

from __future__ import annotations

from fuzzbow.sts.claims import (
    EQUAL,
    FAILS,
    Claim,
    beats,
    beats_every_task,
    equals,
    only_on,
    unsupervised_only,
    wins_most_subtasks,
)

DYNAMAX = "dynamax-jaccard"

CLAIMS = (
    Claim(
        "max-beats-avg",
        "Max-pooled word vectors outperform averaged word vectors (both with cosine).",
        "Section 4, first takeaway; Figure 1",
        unsupervised_only(beats(("max-cosine", "avg-cosine"))),
    ),
    Claim(
        "jaccard-beats-cosine",
        "Max-pooled vectors do better with fuzzy Jaccard than with cosine.",
        "Section 4, second takeaway; Figure 1",
        beats(("max-jaccard", "max-cosine")),
    ),
    Claim(
        "max-jaccard-baseline",
        "Max-pooled vectors with Jaccard are a stronger baseline than averaged with cosine.",
        "Section 2.2; Figure 1",
        unsupervised_only(beats(("max-jaccard", "avg-cosine"))),
    ),
    Claim(
        "avg-jaccard-fails",
        f"Averaged vectors with fuzzy Jaccard fail: {FAILS:.0f} points or more below averaged"
        " with cosine.",
        "Section 4, third takeaway; Figure 1, caption",
        beats(("avg-cosine", "avg-jaccard"), by=FAILS),
    ),
    Claim(
        "dynamax-every-task",
        "DynaMax outperforms averaged vectors with cosine on every STS task.",
        "Abstract, Conclusion; Table 1",
        unsupervised_only(beats_every_task(DYNAMAX, "avg-cosine")),
    ),
    Claim(
        "dynamax-best-pooling",
        "DynaMax with Jaccard is the best combination of pooling and similarity.",
        "Section 4, fourth takeaway; Figure 1",
        beats(*((DYNAMAX, other) for other in ("avg-cosine", "max-cosine", "max-jaccard"))),
    ),
    Claim(
        "fuzzy-beats-bow",
        "DynaMax and max-pooled vectors with Jaccard beat crisp Jaccard, WMD and soft cardinality.",
        "Section 4; Figure 2",
        beats(
            *(
                (fuzzy, other)
                for fuzzy in (DYNAMAX, "max-jaccard")
                for other in ("set-jaccard", "wmd", "soft-cardinality")
            )
        ),
    ),
    Claim(
        "supervised-equal",
        "On vectors trained for cosine, DynaMax and averaged vectors perform equally (within"
        f" {EQUAL} points).",
        "Section 4; Table 1",
        only_on(("pp-xxl", "pnmt"), "PP-XXL and PNMT", equals((DYNAMAX, "avg-cosine"))),
    ),
    Claim(
        "sif-helps",
        "SIF weights help, both averaged vectors and DynaMax.",
        "Tables 1 and 2",
        beats((f"{DYNAMAX}+sif", DYNAMAX), ("avg-cosine+sif", "avg-cosine")),
    ),
    Claim(
        "dynamax-sif-beats-avg-sif",
        "With SIF weights DynaMax outperforms averaged vectors.",
        "Section 4; Table 2",
        beats((f"{DYNAMAX}+sif", "avg-cosine+sif")),
    ),
    Claim(
        "dynamax-sif-equals-pca",
        f"DynaMax-SIF and avg-SIF+PCA perform comparably (within {EQUAL} points).",
        "Section 4; Table 2",
        equals((f"{DYNAMAX}+sif", "sif-pca")),
    ),
    Claim(
        "normalisation-hurts",
        "Normalising word vectors hurts both averaged vectors and DynaMax.",
        "Appendix A; Table 3",
        beats((DYNAMAX, f"{DYNAMAX}+norm"), ("avg-cosine", "avg-cosine+norm")),
    ),
    Claim(
        "dynamax-normalised",
        "DynaMax outperforms averaged vectors even when vectors are normalised.",
        "Appendix A; Table 3",
        beats((f"{DYNAMAX}+norm", "avg-cosine+norm")),
    ),
    Claim(
        "set-similarities-equal",
        f"Fuzzy Jaccard, Otsuka and Dice are almost identical (within {EQUAL} points).",
        "Appendix B; Table 4",
        equals((DYNAMAX, "dynamax-otsuka"), (DYNAMAX, "dynamax-dice")),
    ),
    Claim(
        "universe-contributes",
        "The dynamic universe is superior to the identity and to a random projection.",
        "Appendix C; Table 5",
        beats((DYNAMAX, "max-jaccard"), (DYNAMAX, "randommax-jaccard")),
    ),
    Claim(
        "similarity-contributes",
        "Within DynaMax, fuzzy Jaccard beats cosine.",
        "Appendix C; Table 5",
        beats((DYNAMAX, "dynamax-cosine")),
    ),
    Claim(
        "pooling-contributes",
        "Max-pooling considerably outperforms averaging, sum and min.",
        "Appendix C; Table 5",
        beats(*((DYNAMAX, f"dyna{pooling}-jaccard") for pooling in ("avg", "sum", "min"))),
    ),
    Claim(
        "pooling-contributes-most",
        "Max-pooling contributes most: to replace it by averaging costs more than to replace"
        " the universe by the identity or Jaccard by cosine.",
        "Appendix C; Table 5",
        beats(("max-jaccard", "dynaavg-jaccard"), ("dynamax-cosine", "dynaavg-jaccard")),
    ),
    Claim(
        "significant-on-most-subtasks",
        "DynaMax is significantly better than averaged vectors on most subtasks and worse on"
        " hardly any (paper: 56 of 72 better, 1 worse).",
        "Appendix D; Table 6",
        unsupervised_only(wins_most_subtasks(DYNAMAX, "avg-cosine")),
    ),
    Claim(
        "weighted-beats-dynamax",
        "fuzzbow's weighted-jaccard beats DynaMax, without and with SIF weights.",
        "not in the paper",
        beats(("weighted-jaccard", DYNAMAX), ("weighted-jaccard", f"{DYNAMAX}+sif")),
        ours=True,
    ),
)
