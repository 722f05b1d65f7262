/**
 * Simulates a day of a queue for several numbers of workers, and prints a table. The time of a run is that of its
 * model calls, with a long tail, and the measured overhead.
 */
import { parseArgs } from 'node:util'
import { createRandom, simulateQueue } from './simulate-queue.ts'

const { values: options } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000000' },
    /** Median time of the model calls of a run in seconds. */
    median: { type: 'string', default: '20' },
    /** Measured overhead of a run in seconds. */
    overhead: { type: 'string', default: '0.1' },
    slots: { type: 'string', default: '16' },
    workers: { type: 'string', default: '50,75,100,150,1000' },
    seed: { type: 'string', default: '1' },
  },
})
const DAY = 86_400
/** Standard deviation of the logarithm: a run in twenty takes five times the median. */
const SPREAD = 1
/** Peak of a day, and its lowest rate, in relation to its mean. */
const PEAK = 2.5
const LOW = 0.4

const meanRate = Number(options.runs) / DAY
const overhead = Number(options.overhead)
const median = Number(options.median)

/** Returns the rate at a time of the day: low at night, with a peak at noon. Its mean over the day is 1. */
function shapeAt(time: number): number {
  return LOW + (PEAK - LOW) * Math.sin((Math.PI * time) / DAY) ** POWER
}

/** Exponent for which the mean of the day is 1. */
const POWER = findPower()

function findPower(): number {
  const target = (1 - LOW) / (PEAK - LOW)
  for (let power = 1; power < 50; power += 0.05) {
    let mean = 0
    for (let step = 0; step < 1000; step += 1)
      mean += Math.sin((Math.PI * (step + 0.5)) / 1000) ** power / 1000
    if (mean <= target) return power
  }
  return 50
}

/** Returns a random number of the normal distribution. */
function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

console.log('| workers | slots | used | used at the peak | wait p50 | p95 | p99 |')
console.log('|---|---|---|---|---|---|---|')
for (const workers of options.workers.split(',').map(Number)) {
  const slots = Number(options.slots)
  const result = simulateQueue(
    {
      workers,
      slots,
      pollSeconds: 0.05,
      seconds: DAY,
      rateAt: (time) => meanRate * shapeAt(time),
      peakRate: meanRate * PEAK,
      serviceTime: (random) => overhead + median * Math.exp(SPREAD * normal(random)),
    },
    createRandom(Number(options.seed)),
  )
  const { p50, p95, p99 } = result.waits
  const percent = (share: number): string => `${Math.round(share * 100)} %`
  console.log(
    `| ${workers} | ${workers * slots} | ${percent(result.utilisation)} | ${percent(result.peakUtilisation)} | ${[p50, p95, p99].map(formatWait).join(' | ')} |`,
  )
}

function formatWait(seconds: number): string {
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`
  return seconds < 120 ? `${seconds.toFixed(1)} s` : `${Math.round(seconds / 60)} min`
}
