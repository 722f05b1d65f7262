import type { OperationTable } from '../headend.ts'

/** The operations of run control. */
export const RUN_OPERATIONS: OperationTable = {}
