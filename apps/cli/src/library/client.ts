// Export everything, because the client is public as a whole.
export * from '@troupe/client'
