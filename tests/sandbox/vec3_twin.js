'use strict'
/**
 * Compare each method of the package vec3 with ours, on the same numbers; print what differs. Arguments: vec3.js,
 * node_modules.
 */
const fs = require('node:fs')
const path = require('node:path')
const { Vec3: Theirs } = require('node:module').createRequire(path.join(process.argv[3], 'x.js'))('vec3')
const Ours = Function(`${fs.readFileSync(process.argv[2], 'utf8')}\nreturn Vec3`)()

const numbers = [[1.5, -2, 3], [0, 0, 0], [-7.25, 64, 0.5], [3, 4, 12]]
const extra = { offset: [1, -2, 0.5], translate: [1, 2, 3], set: [4, 5, 6], scaled: [-2], scale: [0.5], at: [1] }
const plain = (value) => (value && typeof value === 'object' && 'x' in value ? [value.x, value.y, value.z] : value)
const differs = []
let tried = 0
for (const name of Object.getOwnPropertyNames(Theirs.prototype)) {
  if (name === 'constructor') continue
  for (const a of numbers) {
    for (const b of numbers) {
      const [theirs, ours] = [new Theirs(...a), new Ours(...a)]
      let answers
      try {
        answers = [theirs, ours].map((vec) =>
          plain(vec[name](...(Object.hasOwn(extra, name) ? extra[name] : [new vec.constructor(...b)])))
        )
      } catch (error) { answers = [0, error.message] }
      tried++
      const same = JSON.stringify([answers[0], plain(theirs)]) === JSON.stringify([answers[1], plain(ours)])
      if (!same) differs.push([name, a, b, answers])
    }
  }
}
console.log(JSON.stringify({ tried, differs }))
