// Export everything, because card code may import any of it.
export * from '../library/hooks.ts'
