/** Define a point or a direction in space, with the arithmetic that programs know from the package vec3. */

class PlainVec3 {
  constructor (x, y, z) {
    const [a, b, c] = Array.isArray(x) ? x : x && typeof x === 'object' ? [x.x, x.y, x.z] : [x, y, z]
    this.x = a === undefined ? 0 : Number(a)
    this.y = b === undefined ? 0 : Number(b)
    this.z = c === undefined ? 0 : Number(c)
  }

  set (x, y, z) { this.x = x; this.y = y; this.z = z; return this }
  update (other) { return this.set(other.x, other.y, other.z) }
  clone () { return new Vec3(this.x, this.y, this.z) }
  offset (dx = 0, dy = 0, dz = 0) { return new Vec3(this.x + dx, this.y + dy, this.z + dz) }
  translate (dx, dy, dz) { return this.set(this.x + dx, this.y + dy, this.z + dz) }

  plus (other) { return new Vec3(this.x + other.x, this.y + other.y, this.z + other.z) }
  minus (other) { return new Vec3(this.x - other.x, this.y - other.y, this.z - other.z) }
  scaled (by) { return new Vec3(this.x * by, this.y * by, this.z * by) }
  modulus (other) { return new Vec3(mod(this.x, other.x), mod(this.y, other.y), mod(this.z, other.z)) }
  cross (other) {
    return new Vec3(
      this.y * other.z - this.z * other.y,
      this.z * other.x - this.x * other.z,
      this.x * other.y - this.y * other.x
    )
  }

  add (other) { return this.update(this.plus(other)) }
  subtract (other) { return this.update(this.minus(other)) }
  multiply (other) { return this.set(this.x * other.x, this.y * other.y, this.z * other.z) }
  divide (other) { return this.set(this.x / other.x, this.y / other.y, this.z / other.z) }
  scale (by) { return this.update(this.scaled(by)) }

  floored () { return this.clone().floor() }
  rounded () { return this.clone().round() }
  ceiled () { return this.clone().ceil() }
  floor () { return this.set(Math.floor(this.x), Math.floor(this.y), Math.floor(this.z)) }
  round () { return this.set(Math.round(this.x), Math.round(this.y), Math.round(this.z)) }
  ceil () { return this.set(Math.ceil(this.x), Math.ceil(this.y), Math.ceil(this.z)) }
  abs () { return new Vec3(Math.abs(this.x), Math.abs(this.y), Math.abs(this.z)) }
  min (other) { return new Vec3(Math.min(this.x, other.x), Math.min(this.y, other.y), Math.min(this.z, other.z)) }
  max (other) { return new Vec3(Math.max(this.x, other.x), Math.max(this.y, other.y), Math.max(this.z, other.z)) }

  dot (other) { return this.x * other.x + this.y * other.y + this.z * other.z }
  innerProduct (other) { return this.dot(other) }
  volume () { return this.x * this.y * this.z }
  norm () { return Math.sqrt(this.dot(this)) }
  unit () { const far = this.norm(); return far === 0 ? this.clone() : this.scaled(1 / far) }
  normalize () { const far = this.norm(); return far === 0 ? this : this.set(this.x / far, this.y / far, this.z / far) }

  distanceSquared (other) { const way = this.minus(other); return way.dot(way) }
  distanceTo (other) { return Math.sqrt(this.distanceSquared(other)) }
  manhattanDistanceTo (other) { const way = this.minus(other).abs(); return way.x + way.y + way.z }
  xzDistanceTo (other) { return root(this.x - other.x, this.z - other.z) }
  xyDistanceTo (other) { return root(this.x - other.x, this.y - other.y) }
  yzDistanceTo (other) { return root(this.y - other.y, this.z - other.z) }

  isZero () { return this.x === 0 && this.y === 0 && this.z === 0 }
  equals (other, error = 0) {
    return (
      Boolean(other) &&
      Math.abs(this.x - other.x) <= error &&
      Math.abs(this.y - other.y) <= error &&
      Math.abs(this.z - other.z) <= error
    )
  }

  at (index) { return this.toArray()[index] }
  xz () { return [this.x, this.z] }
  xy () { return [this.x, this.y] }
  yz () { return [this.y, this.z] }
  xzy () { return new Vec3(this.x, this.z, this.y) }
  toArray () { return [this.x, this.y, this.z] }
  toString () { return `(${this.x}, ${this.y}, ${this.z})` }
}

/** The class for programs. It works without `new`, and takes an array or an object too. */
const Vec3 = new Proxy(PlainVec3, { apply: (Class, self, args) => new Class(...args) })
PlainVec3.prototype.constructor = Vec3

const root = (a, b) => Math.sqrt(a * a + b * b)
const mod = (a, b) => ((a % Math.abs(b)) + Math.abs(b)) % Math.abs(b)

/** Return whether a value can be used as a place. */
const isPlace = (value) => Boolean(value) && [value.x, value.y, value.z].every((each) => Number.isFinite(each))
