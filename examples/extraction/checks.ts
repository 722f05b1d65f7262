import type { CheckArgument } from '@troupe/evals'

/** Checks that the amounts of the lines add up to the total. */
export function addsUp({ output }: CheckArgument): boolean {
  const { total, lines } = JSON.parse(output) as {
    readonly total: number
    readonly lines: readonly { readonly amount: number }[]
  }
  return Math.abs(lines.reduce((sum, { amount }) => sum + amount, 0) - total) < 0.005
}
