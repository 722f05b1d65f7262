// Export everything, because the hooks are public as a whole.
export * from '@troupe/hooks'
