import { troupeError, type Json } from '@troupe/schema'
import type { PythonCallOptions, PythonFunction, WantedFunction } from '@troupe/tools'
import type { BridgeProcess } from './bridge-process.ts'
import type { BridgeAnswer, BridgeRequest, FunctionAnswer, FunctionRequest } from './protocol.ts'
import { describeException, loadError, type FunctionOrigin } from './python-error.ts'

const LOAD_MS = 30_000

/** The functions of one Python file with the same variables, and their current process. */
export class PythonModule {
  readonly #open: (interpreter: string) => BridgeProcess
  /** Later the path that the interpreter reports, which starts without a version manager in between. */
  #interpreter: string
  readonly #wanted = new Map<string, FunctionRequest>()
  #current: BridgeProcess | undefined
  #ready: Promise<BridgeProcess> | undefined

  constructor(interpreter: string, open: (interpreter: string) => BridgeProcess) {
    this.#interpreter = interpreter
    this.#open = open
  }

  /** Loads a function. Throws as `PythonLoader.load` does. */
  async load(wanted: WantedFunction): Promise<PythonFunction> {
    const origin: FunctionOrigin = { ...wanted, interpreter: this.#interpreter }
    const { file, name, kind, root } = wanted
    const request = { fn: `${kind}:${name}`, file, name, kind }
    const process = await this.#acquire()
    const { functions, files } = await this.#loadInto(process, [request])
    const [answer] = functions
    if (answer === undefined || answer.error !== undefined)
      throw loadError(answer?.error ?? { type: 'Error', message: 'no answer' }, origin)
    this.#wanted.set(request.fn, request)
    return {
      name,
      params: answer.params,
      description: answer.description ?? '',
      inputSchema: answer.inputSchema ?? {},
      effect: answer.effect,
      capabilities: answer.capabilities,
      files: [...new Set([file, ...files])],
      call: (args, options) => this.#call({ type: 'call', fn: request.fn, args }, { root, options }),
      hook: (run, ctx, options) =>
        this.#call({ type: kind === 'phase' ? kind : 'hook', fn: request.fn, run, ctx }, { root, options }),
      endRun: (run) => this.#current?.notify({ type: 'end', run }),
    }
  }

  close(): Promise<void> {
    return this.#current?.close() ?? Promise.resolve()
  }

  kill(): void {
    this.#current?.kill()
  }

  async #call(
    message: BridgeRequest,
    { root, options }: { readonly root: string; readonly options: PythonCallOptions },
  ): Promise<unknown> {
    const process = await this.#acquire()
    const answer = await process.request(message, options)
    if (answer.type === 'done') return fromPython(answer.value)
    if (answer.type === 'error') throw troupeError('tool_failed', describeException(answer.error, root))
    throw troupeError('run_cancelled', 'The call was cancelled.')
  }

  /** Returns the process, after functions that were cancelled have ended. */
  async #acquire(): Promise<BridgeProcess> {
    const process = await this.#running()
    await process.settled()
    // a function that did not end took the process with it
    return process.end === undefined ? process : this.#running()
  }

  /** Returns the process. Starts a new one, with all functions that were loaded, if it has ended. */
  #running(): Promise<BridgeProcess> {
    if (this.#ready === undefined || this.#current?.end !== undefined) {
      const process = this.#open(this.#interpreter)
      this.#current = process
      this.#ready = this.#start(process)
    }
    return this.#ready
  }

  async #start(process: BridgeProcess): Promise<BridgeProcess> {
    this.#interpreter = await process.start()
    if (this.#wanted.size > 0) await this.#loadInto(process, [...this.#wanted.values()])
    return process
  }

  async #loadInto(
    process: BridgeProcess,
    functions: readonly FunctionRequest[],
  ): Promise<{ readonly functions: readonly FunctionAnswer[]; readonly files: readonly string[] }> {
    let answer: BridgeAnswer
    try {
      answer = await process.request({ type: 'load', functions }, { signal: AbortSignal.timeout(LOAD_MS) })
    } catch (thrown) {
      const why = process.end ?? `did not load it within ${LOAD_MS} ms`
      const [first] = functions
      throw troupeError(
        'function_load_failed',
        `${first?.file} could not be loaded: the Python process ${why}.`,
        { cause: thrown },
      )
    }
    if (answer.type === 'loaded') return answer
    throw troupeError('function_load_failed', 'Python sent an unexpected answer.')
  }
}

/** Decodes the bytes that a function returned. */
function fromPython(value: Json): unknown {
  if (typeof value !== 'object' || value === null || !('$bytes' in value)) return value
  const bytes = value['$bytes']
  return typeof bytes === 'string' && Object.keys(value).length === 1 ? Buffer.from(bytes, 'base64') : value
}
