import './require-node.ts'
// Export everything, because the test kit is public as a whole.
export * from '@troupe/testkit'
