export const count = () => 'three'
