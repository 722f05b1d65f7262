export { childEnvironment, INHERITED_VARIABLES } from './child-environment.ts'
export { endProcessGroup, processGroup, type ProcessGroup } from './process-group.ts'
export { sleep } from './sleep.ts'
