/**
 * The bit stream of a frame (docs/record.md): bits from the lowest of each 32-bit word upwards, columns of integers in
 * blocks of 32.
 */

const BLOCK = 32;

export class Bits {
  private at = 0; // in bits
  constructor(private readonly words: Uint32Array) {}

  /** m bits, 0 to 32, as an unsigned number. Beyond the end come zeros. */
  private take(m: number): number {
    if (m === 0) return 0;
    const { words, at } = this;
    const word = at >>> 5;
    const shift = at & 31;
    this.at = at + m;
    let value = (words[word] ?? 0) >>> shift;
    if (shift + m > 32) value |= (words[word + 1] ?? 0) << (32 - shift);
    return m === 32 ? value >>> 0 : (value & ((1 << m) - 1)) >>> 0;
  }

  /** Fills numbers[0 … count−1]. */
  column(numbers: Int32Array, count: number): void {
    for (let begin = 0; begin < count; begin += BLOCK) {
      const end = Math.min(begin + BLOCK, count);
      if (this.take(1) === 0) {
        numbers.fill(0, begin, end);
        continue;
      }
      const m = this.take(6);
      const z = this.take(this.take(6));
      const base = (z >>> 1) ^ -(z & 1);
      if (m === 0 || m > 31) {
        for (let i = begin; i < end; i++) numbers[i] = (base + this.take(m)) | 0;
      } else {
        this.block(numbers, begin, end, base, m);
      }
    }
  }

  /** The inner loop of `column`, for 1 ≤ m ≤ 31, with everything in locals: nearly all the time of reading goes here. */
  private block(numbers: Int32Array, begin: number, end: number, base: number, m: number): void {
    const words = this.words;
    const mask = (1 << m) - 1;
    let at = this.at;
    for (let i = begin; i < end; i++, at += m) {
      const word = at >>> 5;
      const shift = at & 31;
      let value = words[word] >>> shift;
      if (shift + m > 32) value |= words[word + 1] << (32 - shift);
      numbers[i] = (base + (value & mask)) | 0;
    }
    this.at = at;
  }

  /** Whether more was taken than there is. */
  get overrun(): boolean {
    return this.at > 32 * this.words.length;
  }
}
