/* LinUCB with a fixed set of arms by rank-one updates, in plain C; equivalent to algorithms/linucb/linucb.py at batch 1. */

#include <math.h>
#include <stdint.h>
#include "xoshiro.h"

void linucb(uint64_t seed, const double *features, const double *means, int64_t arms, int64_t d, double ridge,
            double constant, double scale, double confidence, const int64_t *checkpoints, int64_t marks, double *regret)
{
    xoshiro rng = seeded(seed);
    double columns[d * arms], squared[arms], overlap[arms], value[arms];
    double inverse[d * d], target[d], theta[d], h[d], top = 0.0;
    int64_t plays[arms], row = 0, best_wins = 0, horizon = checkpoints[marks - 1];
    for (int64_t a = 0; a < arms; a++) {
        plays[a] = 0;
        squared[a] = 0.0;
        top = means[a] > top ? means[a] : top;
        for (int64_t i = 0; i < d; i++) {
            columns[i * arms + a] = features[a * d + i];
            squared[a] += features[a * d + i] * features[a * d + i] / ridge;
        }
    }
    for (int64_t i = 0; i < d; i++) {
        target[i] = theta[i] = 0.0;
        for (int64_t j = 0; j < d; j++)
            inverse[i * d + j] = i == j ? 1.0 / ridge : 0.0;
    }
    for (int64_t t = 1; t <= horizon; t++) {
        double beta = constant + scale * sqrt(confidence + d * log(1.0 + (t - 1) / (d * ridge))), best = -INFINITY;
        int64_t arm = 0;
        for (int64_t a = 0; a < arms; a++)
            value[a] = beta * sqrt(squared[a]);
        for (int64_t i = 0; i < d; i++)
            for (int64_t a = 0; a < arms; a++)
                value[a] += theta[i] * columns[i * arms + a];
        for (int64_t a = 0; a < arms; a++)
            if (value[a] > best) {
                best = value[a];
                arm = a;
            }
        const double *x = features + arm * d;
        double won = uniform(&rng) < means[arm], weight = 1.0 / (1.0 + squared[arm]);
        best_wins += means[arm] < top && uniform(&rng) < top; /* the kernel draws the best arm's reward as well */
        plays[arm]++;
        for (int64_t i = 0; i < d; i++) {
            target[i] += won * x[i];
            h[i] = 0.0;
            for (int64_t j = 0; j < d; j++)
                h[i] += inverse[i * d + j] * x[j];
        }
        for (int64_t i = 0; i < d; i++) {
            theta[i] = 0.0;
            for (int64_t j = 0; j < d; j++) {
                inverse[i * d + j] -= weight * h[i] * h[j];
                theta[i] += inverse[i * d + j] * target[j];
            }
        }
        for (int64_t a = 0; a < arms; a++)
            overlap[a] = 0.0;
        for (int64_t i = 0; i < d; i++)
            for (int64_t a = 0; a < arms; a++)
                overlap[a] += h[i] * columns[i * arms + a];
        for (int64_t a = 0; a < arms; a++) {
            squared[a] -= weight * overlap[a] * overlap[a];
            squared[a] = squared[a] > 0.0 ? squared[a] : 0.0;
        }
        if (t == checkpoints[row]) {
            regret[row] = 0.0;
            for (int64_t a = 0; a < arms; a++)
                regret[row] += plays[a] * (top - means[a]);
            row++;
        }
    }
    regret[0] += 0.0 * best_wins;
}
