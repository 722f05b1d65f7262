import type { Containment, GroupLedger } from '@troupe/process'
import { troupeError, type Clock } from '@troupe/schema'
import type { PythonLoader, WantedFunction } from '@troupe/tools'
import { BridgeProcess } from './bridge-process.ts'
import { findInterpreter } from './find-interpreter.ts'
import { PythonModule } from './python-module.ts'

/** Options of `createPythonFunctions`. */
export interface PythonOptions {
  /** Working folder of the processes. Absolute. */
  readonly cwd: string
  /** Interpreter of the configuration. Default: that of a `.venv`, else `python3`. */
  readonly interpreter?: string | undefined
  /** Environment of which processes inherit the variables of `INHERITED_VARIABLES`. */
  readonly baseEnv: Readonly<Record<string, string | undefined>>
  readonly clock: Clock
  /** Records the process groups, so that the next start ends those left behind. */
  readonly ledger?: GroupLedger | undefined
  /** Returns how to contain the processes with what they start. */
  containment(): Promise<Containment>
}

/** The Python functions of a team, in one process per file and variables. */
export interface PythonFunctions extends PythonLoader {
  /** Ends all processes and everything they started. Pending calls fail. */
  close(): Promise<void>
  /** Kills all processes immediately. */
  kill(): void
}

/** Creates the Python functions of a team. Processes start on the first load and are reused. */
export function createPythonFunctions(options: PythonOptions): PythonFunctions {
  const modules = new Map<string, PythonModule>()
  let isClosed = false

  function createModule({ file, env }: WantedFunction): PythonModule {
    const found = findInterpreter({ configured: options.interpreter, file, cwd: options.cwd })
    return new PythonModule(found, (interpreter) => {
      if (isClosed) throw troupeError('tool_failed', 'The Python process was stopped.')
      const { cwd, baseEnv, clock, ledger, containment } = options
      return new BridgeProcess({ interpreter, cwd, baseEnv, env, clock, ledger, containment })
    })
  }

  return {
    load: (wanted) => {
      const key = JSON.stringify([wanted.file, Object.entries(wanted.env)])
      const module = modules.get(key) ?? createModule(wanted)
      modules.set(key, module)
      return module.load(wanted)
    },
    close: async () => {
      isClosed = true
      await Promise.all([...modules.values()].map((module) => module.close()))
    },
    kill: () => {
      isClosed = true
      for (const module of modules.values()) module.kill()
    },
  }
}
