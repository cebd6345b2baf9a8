export const milliseconds = (value: number): string => value.toFixed(value < 100 ? 1 : 0);

export const count = (value: number): string => Math.round(value).toLocaleString('en');

/** In units of 2^20 bytes. */
export const megabytes = (bytes: number): string => {
  const value = bytes / 2 ** 20;
  return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);
};
