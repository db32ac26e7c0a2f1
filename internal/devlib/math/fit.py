#!/usr/bin/env python3
"""Fits the polynomials of the mathematical library (*.cu in this directory).

    python3 fit.py [TEXT...]

prints the polynomials whose comments contain one of the texts, or all, and the
tables whose names do, in the form that the sources have. It needs mpmath. A polynomial has the given number
of terms and the least maximal error, weighted so that it is relative to the
whole function; Remez's exchange finds it in 40 digits.
"""
import sys

from mpmath import (asin, atan, atan2, besseli, besselj, besseljzero, bessely, besselyzero, cos, erf, erfc, euler, exp,
                    expm1, factorial, gamma, log, log1p, loggamma, lu_solve, matrix, mp, mpf, pi, polyval, sin, sinh,
                    sqrt, tan, tanh, taylor, zeta)

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


def scaled_erfcx(x):
    with mp.workdps(60):
        return exp(mpf(x)**2) * erfc(mpf(x))


def modulus(n):
    """w -> sqrt(pi x / 2) |(Jn(x), Yn(x))| for x = 8 / sqrt(w), which is 1 for w = 0."""
    def g(w):
        if abs(w) < mpf('1e-9'):
            return 1 + (4 * n * n - 1) * w / 1024
        with mp.workdps(60):
            x = 8 / sqrt(mpf(w))
            return sqrt(pi * x / 2 * (besselj(n, x)**2 + bessely(n, x)**2))
    return g


def phase(n):
    """w -> x times the angle of (Jn(x), Yn(x)) less x - (2n+1) pi/4, for x = 8 / sqrt(w)."""
    def g(w):
        m = 4 * n * n
        if abs(w) < mpf('1e-9'):
            return mpf(m - 1) / 8 + mpf((m - 1) * (m - 25)) / 384 * w / 64
        with mp.workdps(60):
            x = 8 / sqrt(mpf(w))
            s, c = sin(x - (2 * n + 1) * pi / 4), cos(x - (2 * n + 1) * pi / 4)
            j, y = besselj(n, x), bessely(n, x)
            return x * atan2(y * c - j * s, j * c + y * s)
    return g


def bessel_i_over(n):
    """z -> the rest of In(x) / (x/2)^n behind its 1, divided by z, for z = x^2."""
    def g(z):
        if abs(z) < mpf('1e-9'):
            return mpf(1) / (4 * (n + 1))
        with mp.workdps(60):
            x = sqrt(mpf(z))
            return (besseli(n, x) * (2 / x)**n - 1) / z
    return g


def bessel_i_large(n):
    """t -> sqrt(x) e^-x In(x) for x = 16 / (1+t)."""
    def g(t):
        if 1 + t < mpf('1e-9'):
            return (1 - (4 * n * n - 1) * (1 + t) / 128) / sqrt(2 * pi)
        with mp.workdps(60):
            x = 16 / (1 + mpf(t))
            return sqrt(x) * exp(-x) * besseli(n, x)
    return g


def bessel_y_small(n):
    """z -> Yn(x) less the product of Jn(x) and 2/pi log(x), less 1/x, over x^n, for z = x^2."""
    def g(z):
        if abs(z) < mpf('1e-14'):
            return 2 / pi * (euler - log(2)) if n == 0 else (2 * (euler - log(2)) - 1) / (2 * pi)
        with mp.workdps(60):
            x = sqrt(mpf(z))
            r = bessely(n, x) - 2 / pi * log(x) * besselj(n, x)
            return r if n == 0 else (r + 2 / (pi * x)) / x
    return g


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
    ('(log((2+u)/(2-u)) - u) / u^3 of z = u^2 <= 0.16', 'd', 8, rest(lambda u: log_ratio(u / 2), 3, 2), 0, '.1604', power(1), 'z'),
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
    ('(tanh(a) - a) / a^3 of z = a^2 <= 0.6^2', 'd', 11, rest(tanh, 3, 2), 0, '.3601', power(1), 'z'),
    ('erf(x) / x - 1 of z = x^2 <= 1', 'f', 7, rest(erf, 1, 2), 0, '1.001', one, 'z'),
    ('erf(x) / x - 1 of z = x^2 <= 1', 'd', 12, rest(erf, 1, 2), 0, '1.001', one, 'z'),
    ('log2(erfc(b)) for 1 <= b <= 4', 'f', 8, lambda x: log(erfc(x)) / log(2), 1, 4, erfc, 'b'),
    ('(1+2a) e^(a^2) erfc(a) of t = (a-4)/(a+4) for a <= 10.1', 'f', 12, scaled_erfc, -1, mpf('6.1') / mpf('14.1'), one, 't'),
    ('(1+2a) e^(a^2) erfc(a) of t = (a-4)/(a+4) for a <= 28', 'd', 23, scaled_erfc, -1, mpf(24) / 32, one, 't'),
    ('log gamma(1+t) / t for |t| <= 1/2', 'd', 28, LGAMMA1, -HALF, HALF, lambda t: 1 / LGAMMA1(t), 't'),
    ('log gamma(2+t) / t for |t| <= 1/2', 'd', 18, LGAMMA2, -HALF, HALF, lambda t: 1 / LGAMMA2(t), 't'),
    ('log gamma(3+t) for |t| <= 1/2', 'd', 16, lambda t: loggamma(3 + t), -HALF, HALF, lambda t: 1 / loggamma(3 + t), 't'),
    ("a times the rest of Stirling's formula, of z = 1/a^2 <= 1/64", 'd', 7, stirling, 0, mpf(1) / 64, one, 'z'),
    ('e^(x^2) erfc(x) for -1 <= x <= 1/2', 'd', 24, scaled_erfcx, -1, HALF, lambda x: 1 / scaled_erfcx(x), 'x'),
    ('(J0(x) - 1) / x^2 of z = x^2 <= 1/4', 'd', 6, rest(lambda x: besselj(0, x), 2, 2), 0, '.25', power(1), 'z'),
    ('(2 J1(x) / x - 1) / x^2 of z = x^2 <= 1/4', 'd', 6, rest(lambda x: 2 * besselj(1, x), 3, 2), 0, '.25', power(1), 'z'),
    ('Y0(x) - 2/pi log(x) J0(x) of z = x^2 <= 1/4', 'd', 7, bessel_y_small(0), 0, '.25', one, 'z'),
    ('(Y1(x) - 2/pi (log(x) J1(x) - 1/x)) / x of z = x^2 <= 1/4', 'd', 7, bessel_y_small(1), 0, '.25', one, 'z'),
    ('the modulus of order 0 of w = (8/x)^2 <= 1', 'd', 13, modulus(0), 0, 1, one, 'w'),
    ('the modulus of order 1 of w = (8/x)^2 <= 1', 'd', 13, modulus(1), 0, 1, one, 'w'),
    ('x times the phase of order 0 of w = (8/x)^2 <= 1', 'd', 13, phase(0), 0, 1, one, 'w'),
    ('x times the phase of order 1 of w = (8/x)^2 <= 1', 'd', 13, phase(1), 0, 1, one, 'w'),
    ('(I0(x) - 1) / x^2 of z = x^2 <= 64', 'd', 16, bessel_i_over(0), 0, 64, lambda z: z / besseli(0, sqrt(z)), 'z'),
    ('(2 I1(x) / x - 1) / x^2 of z = x^2 <= 64', 'd', 16, bessel_i_over(1), 0, 64, lambda z: z / (1 + z * bessel_i_over(1)(z)), 'z'),
    ('sqrt(x) e^-x I0(x) of t = 16/x - 1 for x >= 8', 'd', 24, bessel_i_large(0), -1, 1, one, 't'),
    ('sqrt(x) e^-x I1(x) of t = 16/x - 1 for x >= 8', 'd', 24, bessel_i_large(1), -1, 1, one, 't'),
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


def over_zero(f, zero):
    """x -> f(x) / (x - zero)."""
    def g(x):
        with mp.workdps(70):
            d = mpf(x) - zero
            return f(mpf(x)) / d if abs(d) > mpf('1e-25') else (f(zero + mpf('1e-20')) - f(zero - mpf('1e-20'))) * mpf('5e19')
    return g


def show_table(name, f, zeros):
    """Prints the table of a Bessel function on [1/2, 8), two rows an octave: the zero
    nearest to the row as a sum of two doubles, and the polynomial of f(x) / (x - zero)
    around the middle of the row, the highest power first."""
    rows, worst = [], -999
    for k in range(8):
        low = mpf(2)**(k // 2 - 1) * (1 + HALF * (k % 2))
        high = mpf(2)**(k // 2 - 1) * (HALF * 3 if k % 2 == 0 else 2)
        middle, half = (low + high) / 2, (high - low) / 2
        zero = min(zeros, key=lambda z: max(abs(z - low), abs(z - high)))
        g = over_zero(f, zero)
        c, err = fit(TERMS, lambda t: g(middle + t), -half, half, lambda t: 1 / g(middle + t))
        worst = max(worst, err)
        upper = mpf(float(zero))
        rows.append([literal(v, 'd') for v in [upper, zero - upper] + c[::-1]])
    print('// To 2^%.1f of the whole.' % float(worst))
    print('static __device__ const double irgl_%s_table[%d] = {' % (name, 8 * (TERMS + 2)))
    for row in rows:
        for k in range(0, len(row), 5):
            print('  ' + ' '.join(v + ',' for v in row[k:k + 5]))
    print('};')


TERMS = 17 # of each row
TABLES = [
    ('j0', lambda x: besselj(0, x), [besseljzero(0, k) for k in range(1, 4)]),
    ('j1', lambda x: besselj(1, x), [mpf(0)] + [besseljzero(1, k) for k in range(1, 4)]),
    ('y0', lambda x: bessely(0, x), [besselyzero(0, k) for k in range(1, 5)]),
    ('y1', lambda x: bessely(1, x), [besselyzero(1, k) for k in range(1, 4)]),
]

for row in FITS:
    if len(sys.argv) == 1 or any(text in row[0] for text in sys.argv[1:]):
        show(*row)
for name, f, zeros in TABLES:
    if len(sys.argv) == 1 or any(text in name for text in sys.argv[1:]):
        show_table(name, f, zeros)
