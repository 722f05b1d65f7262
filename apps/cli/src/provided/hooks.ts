// everything of the package: cards' code may import any of it
export * from '@troupe/hooks'
