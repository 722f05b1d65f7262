/** The 97.5 % quantile of the normal distribution, for intervals at 95 %. */
const Z = 1.959964

/** Returns the Wilson interval at 95 % of a rate of `passed` out of `counted`; `undefined` if nothing was counted. */
export function wilsonInterval(
  passed: number,
  counted: number,
): readonly [low: number, high: number] | undefined {
  if (counted === 0) return undefined
  const rate = passed / counted
  const scale = 1 + (Z * Z) / counted
  const centre = (rate + (Z * Z) / (2 * counted)) / scale
  const half = (Z / scale) * Math.sqrt((rate * (1 - rate)) / counted + (Z * Z) / (4 * counted * counted))
  return [Math.max(0, centre - half), Math.min(1, centre + half)]
}
