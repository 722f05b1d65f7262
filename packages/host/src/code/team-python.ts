import { join, resolve } from 'node:path'
import { createContainmentProbe, createGroupLedger } from '@troupe/process'
import { createPythonFunctions, type PythonFunctions } from '@troupe/python'
import type { Clock } from '@troupe/schema'
import type { HostOptions } from '../config/host-options.ts'
import type { LoadedConfig } from '../config/read-config.ts'

/** Creates the Python functions of a team. Starts no process until one is loaded. */
export function createTeamPython(
  { cwd, env, stateFolder, containment }: HostOptions,
  { config: { config, folder }, clock }: { readonly config: LoadedConfig; readonly clock: Clock },
): PythonFunctions {
  return createPythonFunctions({
    cwd: resolve(cwd),
    interpreter: interpreterOf(config.python, folder),
    baseEnv: env ?? {},
    clock,
    containment: containment ?? createContainmentProbe(),
    ...(stateFolder === undefined ? {} : { ledger: createGroupLedger(join(stateFolder, 'processes')) }),
  })
}

/** Resolves a path against the folder of the configuration. The name of a program stays as it is. */
function interpreterOf(python: string | undefined, folder: string): string | undefined {
  return python === undefined || !/[\\/]/u.test(python) ? python : resolve(folder, python)
}
