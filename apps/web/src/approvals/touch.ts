/** Classes that make a control at least 48 px high where the pointer is a finger. */
export const TOUCH = 'pointer-coarse:h-auto pointer-coarse:min-h-[48px] pointer-coarse:px-4'
