export { childEnvironment, INHERITED_VARIABLES } from './child-environment.ts'
export {
  createContainmentProbe,
  exitStatus,
  PROCESS_GROUPS,
  spawnContained,
  type Containment,
  type ExitStatus,
  type Program,
} from './containment.ts'
export { createGroupLedger, type GroupLedger, type GroupRecord } from './group-ledger.ts'
export { endProcessGroup, processGroup, sleep, type ProcessGroup } from './process-group.ts'
