#!/usr/bin/env python3
"""OpenCV's transparent API (cv2.UMat) on OpenCL: some thirty functions over random pictures, a line with the checksum of each
answer. Ends with result=OK when OpenCL was in use throughout."""
import hashlib
import os
import sys

os.environ["OPENCV_OPENCL_DEVICE"] = ":CPU:"
import cv2  # noqa: E402: it reads the environment when it is loaded
import numpy  # noqa: E402

rng = numpy.random.default_rng(7)
BYTES = cv2.UMat(rng.integers(0, 256, (480, 640, 3), dtype=numpy.uint8))
GREY = cv2.UMat(rng.integers(0, 256, (480, 640), dtype=numpy.uint8))
OTHER = cv2.UMat(rng.integers(0, 256, (480, 640), dtype=numpy.uint8))
REAL = cv2.UMat(rng.random((256, 256), dtype=numpy.float32))
REAL2 = cv2.UMat(rng.random((256, 256), dtype=numpy.float32))
KERNEL = numpy.array([[0, -1, 0], [-1, 5, -1], [0, -1, 0]], dtype=numpy.float32)
TURN = cv2.getRotationMatrix2D((320, 240), 30, 1.2)
SKEW = numpy.array([[1, 0.1, 5], [0.05, 1, 3], [0.0001, 0.0002, 1]])
FUNCTIONS = {
    "add": lambda: cv2.add(GREY, OTHER),
    "absdiff": lambda: cv2.absdiff(GREY, OTHER),
    "multiply": lambda: cv2.multiply(REAL, REAL2),
    "divide": lambda: cv2.divide(REAL, REAL2),
    "bitwise": lambda: cv2.bitwise_xor(GREY, OTHER),
    "compare": lambda: cv2.compare(GREY, OTHER, cv2.CMP_GT),
    "weighted": lambda: cv2.addWeighted(GREY, 0.3, OTHER, 0.7, 2),
    "exp": lambda: cv2.exp(REAL),
    "magnitude": lambda: cv2.magnitude(REAL, REAL2),
    "polar": lambda: cv2.cartToPolar(REAL, REAL2)[0],
    "gemm": lambda: cv2.gemm(REAL, REAL2, 1.5, REAL, 0.5),
    "transpose": lambda: cv2.transpose(BYTES),
    "flip": lambda: cv2.flip(BYTES, 1),
    "dft": lambda: cv2.dft(REAL, flags=cv2.DFT_COMPLEX_OUTPUT),
    "lut": lambda: cv2.LUT(GREY, numpy.arange(255, -1, -1, dtype=numpy.uint8)),
    "normalize": lambda: cv2.normalize(GREY, None, 0, 200, cv2.NORM_MINMAX),
    "grey": lambda: cv2.cvtColor(BYTES, cv2.COLOR_BGR2GRAY),
    "hsv": lambda: cv2.cvtColor(BYTES, cv2.COLOR_BGR2HSV),
    "lab": lambda: cv2.cvtColor(BYTES, cv2.COLOR_BGR2Lab),
    "gauss": lambda: cv2.GaussianBlur(GREY, (5, 5), 1.2),
    "median": lambda: cv2.medianBlur(GREY, 3),
    "box": lambda: cv2.blur(BYTES, (7, 7)),
    "bilateral": lambda: cv2.bilateralFilter(GREY, 5, 30, 30),
    "filter": lambda: cv2.filter2D(GREY, -1, KERNEL),
    "sobel": lambda: cv2.Sobel(GREY, cv2.CV_16S, 1, 0),
    "laplacian": lambda: cv2.Laplacian(GREY, cv2.CV_16S),
    "canny": lambda: cv2.Canny(GREY, 50, 150),
    "erode": lambda: cv2.erode(GREY, numpy.ones((3, 3), numpy.uint8)),
    "dilate": lambda: cv2.dilate(GREY, numpy.ones((5, 5), numpy.uint8)),
    "threshold": lambda: cv2.threshold(GREY, 100, 255, cv2.THRESH_BINARY)[1],
    "resize": lambda: cv2.resize(BYTES, (333, 222), interpolation=cv2.INTER_LINEAR),
    "area": lambda: cv2.resize(BYTES, (160, 120), interpolation=cv2.INTER_AREA),
    "warp": lambda: cv2.warpAffine(GREY, TURN, (640, 480)),
    "perspective": lambda: cv2.warpPerspective(GREY, SKEW, (640, 480)),
    "pyramid": lambda: cv2.pyrDown(GREY),
    "histogram": lambda: cv2.equalizeHist(GREY),
    "integral": lambda: cv2.integral(GREY),
    "template": lambda: cv2.matchTemplate(GREY, cv2.UMat(GREY, [0, 16], [0, 16]), cv2.TM_CCORR_NORMED),
}


def main():
    cv2.ocl.setUseOpenCL(True)
    if not cv2.ocl.useOpenCL():
        print("OpenCV finds no OpenCL device")
        return 1
    for name, function in FUNCTIONS.items():
        for _ in range(2):  # the second time from what is built and measured
            answer = function().get()
        print(f"answer: {name} {answer.shape} {answer.dtype} {hashlib.sha1(answer.tobytes()).hexdigest()}", flush=True)
    print(f"answer: sum {cv2.sumElems(GREY)} {cv2.countNonZero(GREY)} {cv2.minMaxLoc(REAL)} {cv2.norm(GREY, OTHER)}")
    print("result=OK" if cv2.ocl.useOpenCL() else "OpenCL was given up on the way")
    return not cv2.ocl.useOpenCL()


if __name__ == "__main__":
    sys.exit(main())
