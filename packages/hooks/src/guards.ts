// Stock guards. An entry point of its own, because few agents have guards.

export { STOCK_GUARDS } from './guards/stock-guards.ts'
export type { GuardFactory } from './guards/stock-guard.ts'
