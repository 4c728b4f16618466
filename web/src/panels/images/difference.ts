/** The difference of two pictures, pixel by pixel. */

export interface Difference {
  picture: ImageData;
  /** Of 255, over all channels. */
  mean: number;
  most: number;
}

/** |a - b| times `gain`, on black. Both must have the same size. */
export function difference(a: ImageData, b: ImageData, gain: number): Difference {
  const picture = new ImageData(a.width, a.height);
  let sum = 0;
  let most = 0;
  for (let i = 0; i < a.data.length; i += 4) {
    for (let channel = 0; channel < 3; channel++) {
      const gap = Math.abs(a.data[i + channel] - b.data[i + channel]);
      sum += gap;
      if (gap > most) most = gap;
      picture.data[i + channel] = gap * gain;
    }
    picture.data[i + 3] = 255;
  }
  return { picture, mean: sum / ((a.data.length / 4) * 3 || 1), most };
}

export async function pixelsOf(url: string): Promise<ImageData> {
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth;
  canvas.height = image.naturalHeight;
  const context = canvas.getContext("2d", { willReadFrequently: true })!;
  context.drawImage(image, 0, 0);
  return context.getImageData(0, 0, canvas.width, canvas.height);
}
