import type { FaultMix } from './faults.ts'
import type { Workload } from './workloads.ts'

const NO_FAULTS: FaultMix = { refused: 0, failed: 0, cut: 0, hung: 0 }
const ALL_FAULTS: FaultMix = { refused: 0.15, failed: 0.15, cut: 0.1, hung: 0.05 }
const ALL_NAMES = '15 % 429, 15 % 500, 10 % cut, 5 % hang'

/** All faults together, and each of them alone. */
export const FAULT_WORKLOADS: readonly Workload[] = [
  faultyProvider(ALL_NAMES, ALL_FAULTS),
  {
    ...faultyProvider(ALL_NAMES, ALL_FAULTS, 'lost'),
    name: `runs not complete, faults of the provider: ${ALL_NAMES}`,
    unit: 'runs',
    goal: 1,
    isDetail: true,
  },
  oneFault('15 % 429', { refused: 0.15 }),
  oneFault('15 % 500', { failed: 0.15 }),
  oneFault('10 % cut', { cut: 0.1 }),
  oneFault('5 % hang', { hung: 0.05 }),
  oneFault('none', {}),
]

/** Without a goal: short measurements are mostly the CPU time of a process that has just started. */
function oneFault(name: string, mix: Partial<FaultMix>): Workload {
  const { goal: _, ...workload } = faultyProvider(name, { ...NO_FAULTS, ...mix })
  return { ...workload, isDetail: true }
}

function faultyProvider(name: string, mix: FaultMix, what: 'wall' | 'lost' = 'wall'): Workload {
  return {
    name: `200 runs with 3 children each, faults of the provider: ${name}`,
    unit: 's',
    ours: { measure: 'faults', subject: 'troupe', mix, what },
    base: { measure: 'faults', subject: 'plain', mix, what },
    baseName: 'a client with backoff for each call',
    goal: 1.2,
  }
}
