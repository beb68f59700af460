/* The networks with published answers, and what the strongest peer makes of them. For benches. */
#ifndef YK_BENCH_NETWORKS_H
#define YK_BENCH_NETWORKS_H

/* tree: log10 of the multiply-adds of the pairwise contraction tree that cotengra 0.8.3 found in 30 s of search on two
 * processes, evidence and contained factors removed first: column "tree: log10 operations" of the README beside the
 * networks. */
static const struct yk_bench_network {
    const char *name;
    double tree;
} yk_bench_networks[] = {
    {"alchemy/Alchemy_11", 6.05},
    {"csp/CSP_11", 8.08},
    {"csp/CSP_13", 8.76},
    {"dbn/DBN_11", 8.52},
    {"dbn/DBN_13", 8.42},
    {"dbn/DBN_15", 8.91},
    {"grids/Grids_11", 7.07},
    {"grids/Grids_15", 8.63},
    {"grids/Grids_17", 8.58},
    {"linkage/Pedigree_11", 6.17},
    {"linkage/Pedigree_12", 6.17},
    {"linkage/linkage_11", 10.39},
    {"linkage/linkage_13", 9.11},
    {"linkage/linkage_14", 8.6},
    {"linkage/linkage_16", 7.24},
    {"linkage/linkage_19", 8.38},
    {"linkage/linkage_21", 7.5},
    {"linkage/linkage_24", 8.49},
    {"objectdetection/ObjectDetection_11", 7.96},
    {"objectdetection/ObjectDetection_14", 8.8},
    {"pedigree/pedigree1", 6.48},
    {"pedigree/pedigree39", 8.01},
    {"promedus/Promedus_11", 5.53},
    {"promedus/Promedus_19", 7.45},
    {"promedus/Promedus_24", 2.87},
    {"promedus/Promedus_38", 6.43},
    {"sat/c880.isc.cnf", 8.54},
    {"segmentation/Segmentation_11", 6.56},
    {"segmentation/Segmentation_12", 6.65},
};
enum { YK_BENCH_NETWORK_COUNT = sizeof yk_bench_networks / sizeof *yk_bench_networks };

#endif
