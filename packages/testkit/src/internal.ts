// Helpers for the tests of Troupe itself. They may change in any version.

export {
  deferred,
  settle,
  advanceUntil,
  fakeClock,
  heldClock,
  type Deferred,
  type FakeClock,
  type HeldClock,
} from './clock/fake-clock.ts'
export {
  HOSTILE_SCHEMAS,
  HOSTILE_TEXTS,
  type HostileKind,
  type HostileSchema,
  type HostileText,
} from './hostile-texts.ts'
export { HOSTILE_VALIDATIONS, type HostileValidation } from './hostile-validations.ts'
export { leakCheck, findProcesses, type LeakCheck } from './leak-check.ts'
export { faultMcpStdio, startFaultMcpHttp, type FaultMcpHttp, type FaultMcpStatus } from './fault-mcp.ts'
export {
  startProtectedServer,
  type ProtectedServer,
  type ProtectedServerOptions,
} from './oauth/protected-server.ts'
export { recordEvents, sampleEvent, type EventRecord } from './events/sample-event.ts'
export { HAS_PYTHON, PYTHON_NOTE } from './python.ts'
export { tempProject, type TempProject } from './temp-project.ts'
export { recordFigures } from './requirements/record-figures.ts'
export { verifies } from './requirements/verifies.ts'
export { startOtlpReceiver, type OtlpReceiver } from './otlp/otlp-receiver.ts'
export type { ReceivedAttributes, ReceivedLog, ReceivedMetric, ReceivedSpan } from './otlp/parse-otlp.ts'
export { spanTree } from './otlp/span-tree.ts'
