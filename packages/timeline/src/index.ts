export {
  alignRuns,
  type AlignedPart,
  type AlignedRow,
  type AlignedRuns,
  type AlignedSide,
  type AlignedState,
} from './align-runs.ts'
export {
  type AccountDetails,
  type Accounts,
  type AgentAccount,
  type InstanceAccount,
  type ModelAccount,
  type ToolAccount,
  accountsAt,
  accountsOf,
  emptyAccounts,
  reduceAccounts,
} from './accounts.ts'
export { callLines, describeCall, type CallDescription, type ArgumentPart } from './describe-call.ts'
export type { CallLine } from './compare-lines.ts'
export type { CallTarget } from './describe-write.ts'
export { contentText, eventLine, eventText, failureText } from './event-text.ts'
export {
  correlationId,
  eventCorrelation,
  emptyTimeline,
  findRun,
  type ApprovalView,
  type CallState,
  type CallView,
  type TimelineRunState,
  type TimelineRun,
  type Timeline,
  type ShorteningView,
  type WarningView,
} from './view.ts'
export { eventFields, logRecord, type EventFields, type LogLevel, type LogRecord } from './log-record.ts'
export { formatChange, formatCost, formatDuration, formatTokens } from './format.ts'
export {
  childrenOf,
  countChildren,
  historyOf,
  toFoldedRows,
  toRows,
  type ChildCounts,
  type HistoryCall,
  type HistoryRun,
  type TimelineGroup,
  type TimelineRow,
} from './tree.ts'
export {
  ledgerOf,
  type Ledger,
  type LedgerEntry,
  type LedgerRun,
  type ModelEntry,
  type ToolEntry,
} from './ledger.ts'
export { plainText, type PlainTextOptions } from './plain-text.ts'
export { reduceTimeline, reduceTimelineEvents } from './reduce.ts'
export { xmlElement, xmlSeconds, xmlText, type XmlAttributes } from './xml.ts'
export { visibleText } from './visible-text.ts'
