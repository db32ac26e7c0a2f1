#!/usr/bin/env python3
"""Fits the polynomials of the mathematical library (*.cu in this directory).

    python3 fit.py [TEXT...]

prints the polynomials whose comments contain one of the texts, or all, in the
form that the sources have. It needs mpmath. A polynomial has the given number
of terms and the least maximal error, weighted so that it is relative to the
whole function; Remez's exchange finds it in 40 digits.
"""
import sys

from mpmath import (asin, atan, cos, erf, erfc, euler, exp, expm1, factorial, gamma, log, log1p, loggamma, lu_solve,
                    matrix, mp, mpf, pi, polyval, sin, sinh, sqrt, tan, tanh, taylor, zeta)

mp.dps = 40


def fit(n, f, a, b, weight):
    """The n coefficients with which weight * (p - f) is least on [a, b], and its size there."""
    a, b = mpf(a), mpf(b)
    xs = [(a + b) / 2 - (b - a) / 2 * cos(pi * i / n) for i in range(n + 1)]
    # no node may lie where the weight is 0
    xs = [x if abs(weight(x)) > mpf('1e-12') else x + (b - a) * mpf('0.013') * (1 if x < b else -1) for x in xs]
    grid = [(a + b) / 2 - (b - a) / 2 * cos(pi * (i + mpf(1) / 2) / (24 * (n + 1))) for i in range(24 * (n + 1))]
    values = [(x, f(x), weight(x)) for x in grid]
    for _ in range(8):
        m, rhs = matrix(n + 1, n + 1), matrix(n + 1, 1)
        for i, x in enumerate(xs):
            for j in range(n):
                m[i, j] = x**j
            m[i, n], rhs[i] = (-1)**i / weight(x), f(x)
        s = lu_solve(m, rhs)
        c = [s[j] for j in range(n)]
        e = [w * (polyval(c[::-1], x) - v) for x, v, w in values]
        runs = [[0]]  # stretches of one sign: the extremes of each are the next nodes
        for k in range(1, len(e)):
            if (e[k] > 0) != (e[k - 1] > 0):
                runs.append([])
            runs[-1].append(k)
        peaks = [max(r, key=lambda k: abs(e[k])) for r in runs]
        worst = max(abs(v) for v in e)
        while len(peaks) > n + 1:
            peaks.pop(0 if abs(e[peaks[0]]) < abs(e[peaks[-1]]) else -1)
        if len(peaks) < n + 1 or worst / abs(s[n]) < 1.02:
            break
        xs = [grid[k] for k in peaks]
    return c, log(worst, 2)


def rest(f, k, step=1):
    """z -> (f(x) less its first terms) / x^k, for z = x^step; by its series near 0."""
    with mp.workdps(80):
        t = taylor(f, 0, k + 9 * step)

    def g(z):
        if abs(z) < mpf('1e-5'):
            return sum(c * z**j for j, c in enumerate(t[k::step]))
        with mp.workdps(60):
            x = mpf(z) if step == 1 else sqrt(mpf(z))
            return (f(x) - sum(t[j] * x**j for j in range(k))) / x**k
    return g


def scaled_erfc(t):
    with mp.workdps(60):
        t = mpf(t)
        x = 4 * (1 + t) / (1 - t)
        return (1 + 2 * x) * exp(x * x) * erfc(x)


def stirling(w):
    if w < mpf('1e-7'):
        return mpf(1) / 12 - w / 360 + w * w / 1260
    with mp.workdps(70):
        x = 1 / sqrt(mpf(w))
        return (loggamma(x) - (x - mpf('.5')) * log(x) + x - log(2 * pi) / 2) * x


def lgamma_over(n, slope, bend):
    """t -> log gamma(n+t) / t, for n = 1 and 2."""
    def g(t):
        if abs(t) < mpf('1e-8'):
            return slope + bend * t
        with mp.workdps(70):
            return loggamma(n + mpf(t)) / mpf(t)
    return g


def part(f, k):
    """The weight of a remainder: z^k / f(z), and its limit at 0 where f(z) is about z."""
    return lambda z: z**(k - 1) if abs(z) < mpf('1e-9') else z**k / f(z)


def one(z):
    return mpf(1)


def power(k):
    return lambda z: z**k


def log_ratio(s):
    return log((1 + s) / (1 - s))


HALF, THIRD = mpf('.5'), mpf(1) / 3
LN2 = log(2) / 2 * mpf('1.0005')
QUARTER = mpf('.7855')**2
LGAMMA1 = lgamma_over(1, -euler, zeta(2) / 2)
LGAMMA2 = lgamma_over(2, 1 - euler, (zeta(2) - 1) / 2)

# What, float or double, the number of terms, the function, the interval, the
# weight, and the variable's name in the sources.
FITS = [
    ('(e^f - 1 - f) / f^2 for |f| < 0.347', 'f', 5, rest(exp, 2), -LN2, LN2, lambda z: z * z / exp(z), 'f'),
    ('(e^f - 1 - f) / f^2 for |f| < 0.347', 'd', 10, rest(exp, 2), -LN2, LN2, lambda z: z * z / exp(z), 'f'),
    ('(e^f - 1 - f) / f^2 for |f| < 0.42', 'f', 6, rest(exp, 2), -mpf('.42'), mpf('.42'), part(expm1, 2), 'f'),
    ('(e^f - 1 - f - f^2/2) / f^3 for |f| < 0.42', 'd', 10, rest(exp, 3), -mpf('.42'), mpf('.42'), part(expm1, 3), 'f'),
    ('(log(1+f) - f + f^2/2) / f^3 for |f| <= 1/3', 'f', 8, rest(log1p, 3), -THIRD, THIRD, part(log1p, 3), 'f'),
    ('(log2(1+f) - f log2(e)) / f^2 for |f| <= 1/3', 'f', 10, rest(lambda z: log1p(z) / log(2), 2), -THIRD, THIRD, part(log1p, 2), 'f'),
    ('(log10(1+f) - f log10(e)) / f^2 for |f| <= 1/3', 'f', 10, rest(lambda z: log1p(z) / log(10), 2), -THIRD, THIRD, part(log1p, 2), 'f'),
    ('(log((1+s)/(1-s)) - 2s) / s^3 of z = s^2 <= 0.04', 'd', 8, rest(log_ratio, 3, 2), 0, '.0401', power(1), 'z'),
    ('(log((1+s)/(1-s)) - 2s - 2/3 s^3) / s^5 of z = s^2 <= 0.04', 'd', 9, rest(log_ratio, 5, 2), 0, '.0401', power(2), 'z'),
    ('(log((1+s)/(1-s)) - 2s - 2/3 s^3) / s^5 of z = s^2 <= 0.04', 'f', 4, rest(log_ratio, 5, 2), 0, '.0401', power(2), 'z'),
    ('(sin(r) - r) / r^3 of z = r^2 <= (pi/4)^2', 'f', 3, rest(sin, 3, 2), 0, QUARTER, power(1), 'z'),
    ('(cos(r) - 1 + r^2/2) / r^4 of z = r^2 <= (pi/4)^2', 'f', 3, rest(cos, 4, 2), 0, QUARTER, power(2), 'z'),
    ('(sin(r) - r) / r^3 of z = r^2 <= (pi/4)^2', 'd', 6, rest(sin, 3, 2), 0, QUARTER, power(1), 'z'),
    ('(cos(r) - 1 + r^2/2) / r^4 of z = r^2 <= (pi/4)^2', 'd', 6, rest(cos, 4, 2), 0, QUARTER, power(2), 'z'),
    ('(tan(r) - r) / r^3 of z = r^2 <= (pi/4)^2', 'f', 6, rest(tan, 3, 2), 0, QUARTER, power(1), 'z'),
    ('(asin(s) - s) / s^3 of z = s^2 <= 0.31', 'f', 6, rest(asin, 3, 2), 0, '.3126', power(1), 'z'),
    ('(asin(s) - s) / s^3 of z = s^2 <= 1/4', 'd', 13, rest(asin, 3, 2), 0, '.2501', power(1), 'z'),
    ('(atan(y) - y) / y^3 of z = y^2 <= 1', 'f', 8, rest(atan, 3, 2), 0, 1, power(1), 'z'),
    ('(atan(y) - y) / y^3 of z = y^2 <= 1', 'd', 20, rest(atan, 3, 2), 0, 1, power(1), 'z'),
    ('(sinh(a) - a) / a^3 of z = a^2 <= 1', 'f', 4, rest(sinh, 3, 2), 0, 1, power(1), 'z'),
    ('(sinh(a) - a) / a^3 of z = a^2 <= 1', 'd', 7, rest(sinh, 3, 2), 0, 1, power(1), 'z'),
    ('(tanh(a) - a) / a^3 of z = a^2 <= 0.55^2', 'f', 5, rest(tanh, 3, 2), 0, '.3026', power(1), 'z'),
    ('erf(x) / x - 1 of z = x^2 <= 1', 'f', 7, rest(erf, 1, 2), 0, '1.001', one, 'z'),
    ('erf(x) / x - 1 of z = x^2 <= 1', 'd', 12, rest(erf, 1, 2), 0, '1.001', one, 'z'),
    ('log2(erfc(b)) for 1 <= b <= 4', 'f', 8, lambda x: log(erfc(x)) / log(2), 1, 4, erfc, 'b'),
    ('(1+2a) e^(a^2) erfc(a) of t = (a-4)/(a+4) for a <= 10.1', 'f', 12, scaled_erfc, -1, mpf('6.1') / mpf('14.1'), one, 't'),
    ('(1+2a) e^(a^2) erfc(a) of t = (a-4)/(a+4) for a <= 28', 'd', 23, scaled_erfc, -1, mpf(24) / 32, one, 't'),
    ('log gamma(1+t) / t for |t| <= 1/2', 'd', 28, LGAMMA1, -HALF, HALF, lambda t: 1 / LGAMMA1(t), 't'),
    ('log gamma(2+t) / t for |t| <= 1/2', 'd', 18, LGAMMA2, -HALF, HALF, lambda t: 1 / LGAMMA2(t), 't'),
    ('log gamma(3+t) for |t| <= 1/2', 'd', 16, lambda t: loggamma(3 + t), -HALF, HALF, lambda t: 1 / loggamma(3 + t), 't'),
    ("a times the rest of Stirling's formula, of z = 1/a^2 <= 1/64", 'd', 7, stirling, 0, mpf(1) / 64, one, 'z'),
    ('gamma(2+t) for |t| <= 1/2', 'd', 19, lambda t: gamma(2 + t), -HALF, HALF, lambda t: 1 / gamma(2 + t), 't'),
]


def literal(x, kind):
    """x as a C literal of float or double."""
    with mp.workprec(24 if kind == 'f' else 53):
        m, e = float(+mpf(x)).hex().split('p')
    return m.rstrip('0').rstrip('.') + 'p' + e + ('f' if kind == 'f' else '')


def show(about, kind, n, f, a, b, weight, z):
    c, err = fit(n, f, a, b, weight)
    if about.startswith('erf(x) / x - 1'):
        c[0] -= 1
    fma, real = ('fmaf', 'float') if kind == 'f' else ('fma', 'double')
    print('// %s, to 2^%.1f of the whole' % (about, float(err)))
    print('%s p = %s;' % (real, literal(c[-1], kind)))
    for k in c[-2::-1]:
        print('p = %s(p, %s, %s);' % (fma, z, literal(k, kind)))
    print()


for row in FITS:
    if len(sys.argv) == 1 or any(text in row[0] for text in sys.argv[1:]):
        show(*row)
