/* UCB1 with ties uniformly at random, in plain C; equivalent to algorithms/bernoulli/ucb1.py. */

#include <math.h>
#include <stdint.h>
#include "xoshiro.h"

void ucb1(uint64_t seed, const double *means, int64_t arms, const int64_t *checkpoints, int64_t marks, double *regret)
{
    xoshiro rng = seeded(seed);
    double average[arms], width[arms], index[arms], top = 0.0;
    int64_t wins[arms], n[arms], row = 0, horizon = checkpoints[marks - 1];
    for (int64_t a = 0; a < arms; a++)
        top = means[a] > top ? means[a] : top;
    for (int64_t a = 0; a < arms; a++)
        wins[a] = n[a] = 0;
    for (int64_t t = 1; t <= horizon; t++) {
        int64_t i = t - 1;
        if (t > arms) {
            double scale = sqrt(2.0 * log((double)t)), best = -INFINITY;
            int64_t equal = 0;
            for (int64_t a = 0; a < arms; a++)
                index[a] = average[a] + scale * width[a];
            for (int64_t a = 0; a < arms; a++) {
                if (index[a] > best) {
                    best = index[a];
                    i = a;
                    equal = 1;
                } else if (index[a] == best)
                    equal++;
            }
            if (equal > 1) {
                int64_t left = (int64_t)(uniform(&rng) * equal);
                for (int64_t a = 0; a < arms; a++)
                    if (index[a] == best && left-- == 0)
                        i = a;
            }
        }
        wins[i] += uniform(&rng) < means[i];
        n[i]++;
        average[i] = (double)wins[i] / n[i];
        width[i] = 1.0 / sqrt((double)n[i]);
        if (t == checkpoints[row]) {
            regret[row] = 0.0;
            for (int64_t a = 0; a < arms; a++)
                regret[row] += n[a] * (top - means[a]);
            row++;
        }
    }
}
