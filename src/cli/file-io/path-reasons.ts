/** Reasons why a path cannot be used, by the code of the error. */
export const pathReasons: Readonly<Record<string, string>> = {
  EISDIR: "it is a directory",
  ENOTDIR: "a part of the path is a file, not a folder",
  EROFS: "its disk is mounted read-only",
  ELOOP: "a link in the path leads back to itself",
  ENAMETOOLONG: "a name in the path is too long for the file system",
};
