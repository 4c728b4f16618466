/** Icons: 16 px, one stroke, drawn here so that none has to be fetched. */

const PATHS = {
  chevron: "M6 4l4 4-4 4",
  search: "M7 12A5 5 0 107 2a5 5 0 000 10zM10.6 10.6L14 14",
  close: "M4 4l8 8M12 4l-8 8",
  more: "M3 8h.01M8 8h.01M13 8h.01",
  pin: "M6 2h4l-.5 5 2.5 2.5H4L6.500 7zM8 9.500V14",
  expand: "M9.500 2.500h4v4M13.500 2.500L9.500 6.500M6.500 13.500h-4v-4M2.500 13.500l4-4",
  download: "M8 2v8M4.500 7L8 10.500 11.500 7M2.500 13.500h11",
  sun: "M8 10.800a2.800 2.800 0 100-5.600 2.800 2.800 0 000 5.600zM8 1v1.500M8 13.500V15M1 8h1.500M13.500 8H15M3 3l1.100 1.100M11.900 11.900L13 13M13 3l-1.100 1.100M4.100 11.900L3 13",
  moon: "M13.500 9.800A6 6 0 116.200 2.500a4.800 4.800 0 007.300 7.300z",
  sidebar: "M2.500 3h11v10h-11zM6.500 3v10",
  sliders: "M2 5h7M12 5h2M2 11h2M7 11h7M10.500 3.500v3M5.500 9.500v3",
  eye: "M1.500 8S4 3.500 8 3.500 14.500 8 14.500 8 12 12.500 8 12.500 1.500 8 1.500 8zM8 9.800a1.800 1.800 0 100-3.600 1.800 1.800 0 000 3.600z",
  reset: "M3 8a5 5 0 105-5H5M7 1L5 3l2 2",
  layers: "M8 2l6 3-6 3-6-3zM2 8l6 3 6-3M2 11l6 3 6-3",
  note: "M3 2.500h10v8l-3 3H3zM5.500 6h5M5.500 9h3",
  help: "M8 14.500a6.500 6.500 0 100-13 6.500 6.500 0 000 13zM6.200 6.200a1.800 1.800 0 113 1.400C8.300 8.300 8 8.700 8 9.500M8 11.500h.01",
  check: "M3 8.500l3.500 3.500L13 4.500",
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  play: "M5 3l8 5-8 5z",
  pause: "M5.500 3v10M10.500 3v10",
  compare: "M2.500 3h5v10h-5zM9.500 3h4v10h-4z",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
