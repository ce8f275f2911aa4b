print("githistory")
