import { measureCards, type CardReader } from './measures/cards.ts'
import { measureCold } from './measures/cold.ts'
import { measureEndpoint } from './measures/endpoint.ts'
import { measureExcess } from './measures/excess.ts'
import { measureFanOut } from './measures/fan-out.ts'
import { measureFirstToken } from './measures/first-token.ts'
import { measureHeap } from './measures/heap.ts'
import { measureHttpLoop, measureHttpStream, type HttpSubject } from './measures/http.ts'
import { measureKept } from './measures/kept.ts'
import { measureLeak } from './measures/leak.ts'
import { measureLoop } from './measures/loop.ts'
import { measureMcpCalls } from './measures/mcp-calls.ts'
import { measureMcpList } from './measures/mcp-list.ts'
import { measureNest } from './measures/nest.ts'
import { measureOffer } from './measures/offer.ts'
import { measureStoreEvents } from './measures/store-events.ts'
import { measureStream } from './measures/stream.ts'
import { measureTree } from './measures/tree.ts'
import type { Endpoint } from './endpoints/endpoint.ts'
import type { CardSubjectName, Effort, HttpSubjectName, Probe, SubjectName } from './probe.ts'
import type { EventStore } from './stores/event-store.ts'
import type { OpenTeam } from './subjects/faulty-team.ts'
import type { Subject } from './subjects/subject.ts'
import type { ToolHost } from './subjects/tool-host.ts'

/** Takes one measurement in this process. What is measured is only loaded when it is its turn: it must not be in the other one's heap. */
export async function takeSample(probe: Probe, effort: Effort): Promise<number> {
  if (probe.measure === 'cards') return measureCards(await loadReader(probe.subject), { ...probe, ...effort })
  if (probe.measure === 'faults')
    return (await import('./measures/faults.ts')).measureFaults(await loadTeam(probe.subject), probe)
  if (probe.measure === 'hostile') return (await import('./measures/hostile.ts')).measureHostile()
  if (probe.measure === 'store-events')
    return measureStoreEvents(await openStore(probe.subject), { ...probe, ...effort })
  if (probe.measure === 'kept') return measureKept({ ...probe, ...effort })
  if (probe.measure === 'cold') return measureCold(probe.subject, probe.what)
  if (probe.measure === 'http-stream')
    return measureHttpStream(await loadHttp(probe.subject), { ...probe, ...effort })
  if (probe.measure === 'http-loop')
    return measureHttpLoop(await loadHttp(probe.subject), { ...probe, ...effort })
  if (probe.measure === 'mcp-calls')
    return measureMcpCalls(await openTools(probe.subject, 0), { ...probe, ...effort })
  if (probe.measure === 'mcp-list')
    return measureMcpList(await openTools(probe.subject, probe.tools), { ...probe, ...effort })
  if (probe.measure === 'endpoint') return measureEndpoint(await openEndpoint(probe), { ...probe, ...effort })
  if (probe.measure === 'mcp-sessions')
    return (await import('./measures/mcp-sessions.ts')).measureMcpSessions({ ...probe, ...effort })
  return measureSubject(await load(probe.subject), probe, effort)
}

/** The measures of a {@link Subject}. */
type SubjectMeasure =
  | 'loop'
  | 'fan-out'
  | 'excess'
  | 'tree'
  | 'heap'
  | 'leak'
  | 'nest'
  | 'stream'
  | 'first-token'
  | 'offer'

async function measureSubject(
  subject: Subject,
  probe: Extract<Probe, { readonly measure: SubjectMeasure }>,
  effort: Effort,
): Promise<number> {
  switch (probe.measure) {
    case 'loop':
      return measureLoop(subject, { ...probe, ...effort })
    case 'fan-out':
      return measureFanOut(subject, { ...probe, ...effort })
    case 'excess':
      return measureExcess(subject, { ...probe, ...effort })
    case 'tree':
      return measureTree(subject, probe)
    case 'heap':
      return measureHeap(subject, probe)
    case 'leak':
      return measureLeak(subject, probe)
    case 'nest':
      return measureNest(subject, { ...probe, ...effort })
    case 'offer':
      return measureOffer(subject, { ...probe, ...effort })
    case 'stream':
      return measureStream(subject, { ...probe, ...effort })
    default:
      return measureFirstToken(subject, effort)
  }
}

async function load(name: SubjectName): Promise<Subject> {
  return name === 'ai' ? (await import('./subjects/ai.ts')).ai : (await import('./subjects/troupe.ts')).troupe
}

async function openEndpoint({
  subject,
  route = 'rest',
  tokens,
  kept = false,
}: Extract<Probe, { readonly measure: 'endpoint' }>): Promise<Endpoint> {
  return subject === 'ai'
    ? (await import('./endpoints/ai-endpoint.ts')).aiEndpoint(tokens)
    : (await import('./endpoints/own-endpoint.ts')).ownEndpoint(route, { tokens, kept })
}

async function openTools(name: 'troupe' | 'sdk' | 'older-sdk', tools: number): Promise<ToolHost> {
  if (name === 'troupe') return (await import('./subjects/own-tools.ts')).ownTools(tools)
  if (name === 'sdk') return (await import('./subjects/sdk-tools.ts')).sdkTools(tools)
  return (await import('./subjects/older-sdk-tools.ts')).olderSdkTools(tools)
}

async function loadHttp(name: HttpSubjectName): Promise<HttpSubject> {
  const { httpSubject, ownHttpModel, plainHttpModel } = await import('./subjects/http-models.ts')
  if (name === 'ai') return httpSubject((await import('./subjects/ai.ts')).ai, plainHttpModel)
  const isStreamed = name.endsWith('-stream')
  if (name.startsWith('provider')) {
    const { provider, streamingProvider } = await import('./subjects/provider.ts')
    return httpSubject(isStreamed ? streamingProvider : provider, plainHttpModel)
  }
  const config = isStreamed ? { stream: true } : {}
  return httpSubject((await import('./subjects/troupe.ts')).troupe, (at) => ownHttpModel(at, config))
}

async function loadTeam(name: 'troupe' | 'plain'): Promise<OpenTeam> {
  return name === 'troupe'
    ? (await import('./subjects/own-team.ts')).openOwnTeam
    : (await import('./subjects/plain-team.ts')).openPlainTeam
}

async function openStore(name: 'troupe' | 'node:sqlite'): Promise<EventStore> {
  return name === 'troupe'
    ? (await import('./stores/own.ts')).ownStore()
    : (await import('./stores/raw.ts')).rawStore()
}

async function loadReader(name: CardSubjectName): Promise<CardReader> {
  if (name === 'troupe-host') return (await import('./subjects/card-team.ts')).checkCards
  const { readCards, readWithGrayMatter } = await import('./subjects/card-readers.ts')
  return name === 'troupe' ? readCards : readWithGrayMatter
}
