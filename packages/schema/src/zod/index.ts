export { schemaFromZod } from './from-zod.ts'
export { schemaToZod, type ZodConversion } from './to-zod.ts'
export type { ZodOptions } from './zod-context.ts'
