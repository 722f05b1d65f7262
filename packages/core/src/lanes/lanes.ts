import type { Clock, Lanes } from '@troupe/schema'
import { createCircuit, type Circuit } from './circuit.ts'
import { Lane } from './lane.ts'
import { systemClock } from '../time/system-clock.ts'

/** The lanes of a process (decision 6): one for each provider and key, with one circuit for each provider. */
export function createLanes(parts: { readonly clock?: Clock; readonly random?: () => number } = {}): Lanes {
  const { clock = systemClock, random = Math.random } = parts
  const lanes = new Map<string, Lane>()
  const circuits = new Map<string, Circuit>()
  const circuitOf = (endpoint: string): Circuit => {
    let circuit = circuits.get(endpoint)
    if (circuit === undefined) circuits.set(endpoint, (circuit = createCircuit()))
    return circuit
  }
  return {
    enter: (call) => {
      const { lane: name, endpoint = name } = call.handle
      let lane = lanes.get(name)
      if (lane === undefined)
        lanes.set(name, (lane = new Lane({ clock, random, circuit: circuitOf(endpoint) })))
      return lane.enter(call)
    },
  }
}
