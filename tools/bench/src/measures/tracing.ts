import assert from 'node:assert/strict'
import { openOtlpTracer } from '@troupe/otel'
import { openLoop } from '../frameworks/troupe.ts'
import type { Measure } from '../sample-options.ts'
import { FINAL_TEXT, loopScript, type Script } from '../script.ts'
import { startPortServer } from '../servers/start-port-server.ts'

const MODEL_MS = 20
/** Ratio of the warm-up to the measured time. */
const WARM_UP = 3
/** Spans of one turn: the turn, its model call and its tool call. */
const SPANS_PER_TURN = 3

/**
 * Returns the wall time in µs per turn of a run with `size` tool calls in a row, whose model takes 20 ms. The
 * subject `troupe` sends traces, metrics and logs to a collector in another process; `untraced` sends nothing.
 */
export const measure: Measure = async ({ subject, size: turns, budgetMs }) => {
  const server = subject === 'troupe' ? await startPortServer('span-counter') : undefined
  const address = `http://127.0.0.1:${server?.port}`
  const tracer =
    server === undefined ? undefined : await openOtlpTracer({ env: { OTEL_EXPORTER_OTLP_ENDPOINT: address } })
  const { call, close } = await openLoop(
    { script: slow(loopScript(turns)), turns },
    tracer === undefined ? {} : { tracer },
  )
  const run = async (): Promise<void> => assert.equal(await call(), FINAL_TEXT)
  const warmUp = await repeat(run, WARM_UP * budgetMs)
  const { calls, wallMs } = await repeat(run, budgetMs)
  // also sends what is waiting
  await close?.()
  if (server !== undefined) {
    const spans = Number(await (await fetch(address)).text())
    assert(spans >= (warmUp.calls + calls) * turns * SPANS_PER_TURN, `only ${spans} spans arrived`)
    await server.close()
  }
  return (wallMs * 1000) / (calls * turns)
}

/** Calls `run` repeatedly for `ms` milliseconds. */
async function repeat(
  run: () => Promise<void>,
  ms: number,
): Promise<{ readonly calls: number; readonly wallMs: number }> {
  const startedAt = performance.now()
  let calls = 0
  do {
    await run()
    calls += 1
  } while (performance.now() - startedAt < ms)
  return { calls, wallMs: performance.now() - startedAt }
}

function slow(script: Script): Script {
  return {
    get requests() {
      return script.requests
    },
    get messages() {
      return script.messages
    },
    async answer(request) {
      await new Promise((resolve) => setTimeout(resolve, MODEL_MS))
      return script.answer(request)
    },
  }
}
