/* xoshiro256++ of Blackman and Vigna, ACM Transactions on Mathematical Software 47, 2021, seeded by splitmix64. */

#include <stdint.h>

typedef struct { uint64_t s[4]; } xoshiro;

static inline uint64_t turned(uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }

static inline uint64_t next(xoshiro *rng)
{
    uint64_t *s = rng->s, found = turned(s[0] + s[3], 23) + s[0], t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = turned(s[3], 45);
    return found;
}

static inline double uniform(xoshiro *rng) { return (double)(next(rng) >> 11) * 0x1p-53; }

static inline xoshiro seeded(uint64_t seed)
{
    xoshiro rng;
    for (int i = 0; i < 4; i++) {
        uint64_t z = (seed += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        rng.s[i] = z ^ (z >> 31);
    }
    return rng;
}
